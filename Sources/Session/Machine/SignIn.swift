public import Basics

/// What is known of a stored sign-in without its secrets: enough to decide everything the session decides.
public struct SignIn: Hashable, Sendable {
  /// Which sign-in it is: random, made at sign-in, kept by every refresh.
  public let id: String
  /// Whether it involves no server (strategy `demo`): nothing expires and nothing is sent.
  public let isLocal: Bool
  /// Whether a session is held.
  public let hasSession: Bool
  /// When the session ends; nil when that is not known or nothing ends.
  public let sessionExpiresAt: Timestamp?
  /// When the ID token ends; nil without one.
  public let idTokenExpiresAt: Timestamp?
  /// Whether a new session can be had without asking a person.
  public let canRefresh: Bool

  /// The facts of a sign-in.
  public init(
    id: String, isLocal: Bool = false, hasSession: Bool, sessionExpiresAt: Timestamp?,
    idTokenExpiresAt: Timestamp? = nil, canRefresh: Bool
  ) {
    self.id = id
    self.isLocal = isLocal
    self.hasSession = hasSession
    self.sessionExpiresAt = sessionExpiresAt
    self.idTokenExpiresAt = idTokenExpiresAt
    self.canRefresh = canRefresh
  }

  /// How many seconds a session must still last to be worth starting with.
  public static let restoreMargin: Int64 = 30

  /// Whether the session lasts longer than ``restoreMargin``. One whose end is not known is used until it is rejected.
  public func isUsable(at now: Timestamp) -> Bool {
    if isLocal { return true }
    guard hasSession else { return false }
    return sessionExpiresAt.map { $0 > now.advanced(by: SignIn.restoreMargin) } ?? true
  }

  /// When a refresh is due: `skew` seconds before the session or the ID token ends, whichever ends first. Nil when
  /// nothing ends or nothing can be refreshed.
  public func refreshAt(skew: Int64) -> Timestamp? {
    guard !isLocal, canRefresh else { return nil }
    let session = hasSession ? sessionExpiresAt : nil
    guard let end = [session, idTokenExpiresAt].compactMap({ $0 }).min() else { return nil }
    return end.advanced(by: -skew)
  }

  /// The same sign-in after its session was dropped.
  var withoutSession: SignIn {
    SignIn(
      id: id, isLocal: isLocal, hasSession: false, sessionExpiresAt: nil, idTokenExpiresAt: idTokenExpiresAt,
      canRefresh: canRefresh)
  }
}

/// What a vault holds of a session.
public enum StoredSession: Hashable, Sendable {
  /// Nothing: nobody is signed in.
  case none
  /// A sign-in.
  case signIn(SignIn)
  /// Something that only a new sign-in can replace.
  case unusable(SignInReason)
}
