public import Basics

/// Something that whoever watches a session is told. It holds no secret.
public struct WatchEvent: Sendable {
  /// What happened.
  public enum Kind: String, Sendable, CaseIterable {
    /// There is a credential that was not announced yet: at the start, after a refresh or a sign-in, whoever did it.
    case credential
    /// A refresh failed, and will be tried again.
    case retry
    /// The session has ended, and a new one can be had without asking anyone, but not now.
    case offline
    /// Nobody is signed in any more.
    case signedOut
    /// Only a person can go on.
    case signInNeeded
    /// A command that was run at an event failed.
    case commandFailed
    /// The watch has ended because it was asked to.
    case stopped
  }

  /// What happened.
  public let kind: Kind
  /// When.
  public let at: Timestamp
  /// Why: `found`, `refreshed`, `refreshed-elsewhere`, `signed-in-elsewhere` or `usable-again` of a credential; the name of a
  /// failure, a ``SignInReason`` or `server-errors` otherwise.
  public let reason: String?
  /// The same for people.
  public let text: String?
  /// In how many seconds a refresh is tried again.
  public let retryIn: Int64?
  /// Where the session stands; nil when it does not matter.
  public let status: SessionStatus?

  init(
    _ kind: Kind, at: Timestamp, reason: String? = nil, text: String? = nil, retryIn: Int64? = nil,
    status: SessionStatus? = nil
  ) {
    self.kind = kind
    self.at = at
    self.reason = reason
    self.text = text
    self.retryIn = retryIn
    self.status = status
  }

  /// One JSON line: what happened, and where the session stands as `session status` says it.
  public var json: JSONValue {
    [
      "at": .string("\(at)"), "event": .string(kind.rawValue), "reason": .optional(reason), "message": .optional(text),
      "retryIn": retryIn.map { .integer($0) } ?? .null, "session": status?.json ?? .null,
    ]
  }

  /// One line for people.
  public var line: String {
    var line = "\(at)  "
    let end = status?.sessionExpiresAt.map { ", session ends \($0)" } ?? ""
    switch kind {
    case .credential: line += "new credential (\(reason ?? "found"))\(end)"
    case .retry: line += "refresh failed, next try in \(retryIn ?? 0) s"
    case .offline: line += "no session to use now\(end)"
    case .signedOut: line += "signed out"
    case .signInNeeded: line += "sign-in needed"
    case .commandFailed: line += "command failed"
    case .stopped: line += "stopped"
    }
    return text.map { "\(line): \($0)" } ?? line
  }
}
