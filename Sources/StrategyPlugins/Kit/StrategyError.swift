/// Why a strategy could not do what it was asked.
public struct StrategyError: Error, Hashable, Sendable {
  /// The closed set of reasons; the numbers are those of `mfs_reason_t`.
  public enum Reason: UInt32, Sendable, CaseIterable {
    /// A setting is missing or cannot be used.
    case badSettings = 1
    /// The server rejected the credentials.
    case badCredentials = 2
    /// Only a person can go on.
    case interactionNeeded = 3
    /// The server could not be reached.
    case network = 4
    /// The server answered with trouble of its own.
    case server = 5
    /// The answer could not be understood.
    case protocolViolation = 6
    /// Refused for good.
    case refused = 7
    /// Cancelled by the user.
    case cancelled = 8
    /// The host denied a call.
    case denied = 9
    /// A fault of the strategy's own.
    case `internal` = 10
  }

  /// Why.
  public let reason: Reason
  /// What to tell a person: one or two sentences, without a secret.
  public let message: String
  /// The HTTP status that led to it.
  public let status: Int?
  /// Seconds after which to try again, as the server said.
  public let retryAfter: Int?
  /// The server's own word for it, such as OAuth's `error`; for the strategy itself, the host is not told.
  public let code: String?

  /// An error.
  public init(
    _ reason: Reason, _ message: String, status: Int? = nil, retryAfter: Int? = nil, code: String? = nil
  ) {
    self.reason = reason
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
    self.code = code
  }
}
