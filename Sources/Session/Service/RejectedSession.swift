public import Basics
internal import Vault

/// What is known of the session that a replicator was refused with. A report can come late, when another process has
/// already got a new session; that one was not rejected, and another refresh would only end it.
public struct RejectedSession: Hashable, Sendable {
  /// When it ends, as `session status` said; nil when the report does not tell.
  public let expiresAt: Timestamp?
  /// A moment at which the rejection had already happened; nil when none is known.
  public let reportedAt: Timestamp?

  /// What is known.
  public init(expiresAt: Timestamp? = nil, reportedAt: Timestamp? = nil) {
    self.expiresAt = expiresAt
    self.reportedAt = reportedAt
  }

  /// Whether a stored session can be the one: not when it ends at another time, nor when it was stored after the report.
  func canBe(_ record: SessionRecord, storedAt: Timestamp?, now: Timestamp) -> Bool {
    if let expiresAt, record.sessionExpiresAt != expiresAt { return false }
    // Times are whole seconds: within the same one nothing can be told. A time that is still to come says that the clock was
    // set back, and nothing about the order.
    guard let reportedAt, let storedAt else { return true }
    return storedAt <= reportedAt || storedAt > now
  }
}
