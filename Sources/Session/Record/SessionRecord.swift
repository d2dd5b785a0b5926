public import Basics

/// A stored sign-in without its secrets, read and checked.
public struct SessionRecord: Hashable, Sendable {
  /// The strategy that signed in.
  public let strategy: String
  /// Which sign-in it is.
  public let signInId: String
  /// Where the credentials belong.
  public let binding: SessionBinding
  /// Who signed in; nil when the strategy does not say.
  public let identifier: String?
  /// Whose profile the app shows; nil when that is not known.
  public let employeeId: String?
  /// Whether there is a session.
  public let hasSession: Bool
  /// When the session ends; nil when that is not known.
  public let sessionExpiresAt: Timestamp?
  /// The cookie that carries it.
  public let cookieName: String?
  /// When the ID token ends; nil without one.
  public let idTokenExpiresAt: Timestamp?
  /// Whether something is kept that gets a new session: a password, a refresh token or a plugin's own state.
  public let canRefresh: Bool

  /// Whether it never had a session with a server (strategy `demo`).
  public let isLocal: Bool

  /// The facts that the session's rules work on.
  public var signIn: SignIn {
    SignIn(
      id: signInId, isLocal: isLocal, hasSession: hasSession, sessionExpiresAt: sessionExpiresAt,
      idTokenExpiresAt: idTokenExpiresAt, canRefresh: canRefresh)
  }

  /// The strategy that involves no server.
  public static let localStrategy = "demo"
}

/// What a vault's contents are as a session.
public enum SessionReading: Hashable, Sendable {
  /// Nobody is signed in.
  case none
  /// A sign-in.
  case record(SessionRecord)
  /// A sign-in whose credentials the server rejected: who it was and how they signed in.
  case ended(strategy: String?, identifier: String?, employeeId: String?)
  /// Not readable as a session, and why.
  case damaged(String)

  /// The sign-in; nil when there is none.
  public var record: SessionRecord? { if case .record(let record) = self { record } else { nil } }
}
