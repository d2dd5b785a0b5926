internal import SecureMemory
public import Vault
public import Basics

/// The names under which a vault keeps a session. All begin with `auth.`, so that a logout removes them, but for the
/// device's own id.
public enum SessionKey: String, Sendable, CaseIterable {
  /// Which strategy signed in.
  case strategy = "auth.strategy"
  /// Which sign-in it is. A refresh that began under another one is not stored.
  case signInId = "auth.signInId"
  /// Where the credentials belong: ``SessionBinding``.
  case binding = "auth.binding"
  /// Who signed in, as they named themselves.
  case identifier = "auth.identifier"
  /// The password, kept only to mint sessions (strategy `basic`).
  case password = "auth.password"
  /// The gateway's session.
  case sessionId = "auth.sessionId"
  /// When it ends, RFC 3339.
  case sessionExpiresAt = "auth.sessionExpiresAt"
  /// The cookie that carries it.
  case cookieName = "auth.cookieName"
  /// The provider's ID token.
  case idToken = "auth.idToken"
  /// When it ends, RFC 3339.
  case idTokenExpiresAt = "auth.idTokenExpiresAt"
  /// The provider's refresh token.
  case refreshToken = "auth.refreshToken"
  /// Whose profile the app shows.
  case employeeId = "auth.employeeId"
  /// Random, made at the first sign-in, kept by logout.
  case deviceId = "mfs.deviceId"

  /// The key as the vault names it.
  public func name() throws(Failure) -> KeyName { try KeyName(rawValue) }

  /// What a strategy's result calls it: the name without `auth.`.
  var field: String { String(rawValue.dropFirst("auth.".count)) }

  /// What stays when the server has rejected the credentials: enough to greet the user and to sign in again at the same
  /// place. Everything else that begins with `auth.` goes.
  static let keptWhenRejected: [SessionKey] = [.strategy, .binding, .identifier, .employeeId]
  /// What goes when only the session is rejected. The cookie's name stays: it tells a sign-in that lost its session from
  /// one that never had any.
  static let ofSession: [SessionKey] = [.sessionId, .sessionExpiresAt]
  /// What a strategy's result may hold.
  static let results: [SessionKey] = [
    .identifier, .password, .sessionId, .sessionExpiresAt, .cookieName, .idToken, .idTokenExpiresAt, .refreshToken,
    .employeeId,
  ]
  /// What is a secret in the hands of whoever finds it.
  static let credentials: [SessionKey] = [.password, .sessionId, .idToken, .refreshToken]

  /// The most bytes that a credential under this key has.
  var credentialLimit: Int { self == .idToken || self == .refreshToken ? 65_536 : 4_096 }

  /// Whether a credential under this key can hold a byte: what is presented to a server must fit into its header or form.
  func allows(_ byte: UInt8) -> Bool {
    switch self {
    case .sessionId: SessionText.isCookieValue(byte)
    case .idToken: SessionText.isToken(byte)
    case .refreshToken: (0x20...0x7E).contains(byte)
    default: true
    }
  }
}

extension VaultContents {
  /// The entry of a session's key; nil when there is none.
  func entry(_ key: SessionKey) throws(Failure) -> Entry? { self[try key.name()] }

  /// Sets a session's key to a text that is not secret, or removes it.
  func set(_ key: SessionKey, text: String?, at time: Timestamp) throws(Failure) {
    if let text {
      set(try key.name(), try SecureBytes(publicText: text), at: time)
    } else {
      remove(try key.name())
    }
  }

  /// Sets a session's key to a secret, or removes it.
  func set(_ key: SessionKey, secret: SecureBox?, at time: Timestamp) throws(Failure) {
    if let secret {
      set(try key.name(), try secret.bytes.copy(), at: time)
    } else {
      remove(try key.name())
    }
  }
}
