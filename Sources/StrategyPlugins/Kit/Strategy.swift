public import Basics

/// A way to sign in. A plugin is one type of this protocol and one exported function:
///
///     struct Mine: Strategy { ... }
///
///     @c(mfs_strategy_entry)
///     public func entry(newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
///       StrategyPlugin.table(of: Mine(), newest: newest)
///     }
///
/// A method runs to its end on one thread; what it throws is what the user is told. It never prints, opens nothing and
/// keeps nothing: the process ends with it.
public protocol Strategy: Sendable {
  /// The name of the plugin's file and manifest.
  static var name: String { get }
  /// The plugin's own version.
  static var version: String { get }
  /// Gets a session from nothing, asking a person where it must.
  func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn
}

/// A strategy that can get a new session without asking anyone.
public protocol RefreshingStrategy: Strategy {
  /// Gets a new session from what an earlier sign-in stored.
  func refresh(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn
}

/// A strategy with a server to tell that a session ends.
public protocol ClosingStrategy: Strategy {
  /// Tells the server. A session that is gone already is success.
  func logout(_ call: Call, _ host: Host) throws(StrategyError)
}

/// What an operation is given.
public struct Call: Sendable {
  /// The settings that the manifest names, by name; absent ones are absent.
  public let settings: [String: String]
  /// The identifier given beforehand; nil when it has to be asked for.
  public let identifier: String?

  /// A call, for tests of a strategy.
  public init(settings: [String: String], identifier: String? = nil) {
    self.settings = settings
    self.identifier = identifier
  }

  /// A setting that must be there. Throws ``StrategyError/Reason/badSettings``.
  public func setting(_ name: String) throws(StrategyError) -> String {
    guard let value = settings[name], !value.isEmpty else { throw StrategyError(.badSettings, "\(name) is not set") }
    return value
  }
}

/// A secret that the host holds. It can be sent, stored and combined, but not seen.
public struct Secret: Hashable, Sendable {
  let handle: UInt64
}

/// Text or a secret, where either may stand.
public enum Part: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// Text.
  case text(String)
  /// A secret.
  case secret(Secret)

  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
}

/// The outcome of a sign-in or a refresh. The fields are those of docs/PLUGINS.md, "Results".
public struct SignIn: Sendable {
  /// A session of the gateway's.
  public struct Session: Sendable {
    /// The cookie's value.
    public let id: Secret
    /// The cookie's name.
    public let cookieName: String
    /// When it ends; nil when that is not known.
    public let expires: Timestamp?
    /// What the gateway calls the user; nil when it did not say.
    public let user: String?

    /// A session.
    public init(id: Secret, cookieName: String, expires: Timestamp?, user: String? = nil) {
      self.id = id
      self.user = user
      self.cookieName = cookieName
      self.expires = expires
    }
  }

  /// What an identity provider issued.
  public struct Tokens: Sendable {
    /// The ID token, validated.
    public let idToken: Secret
    /// When it ends.
    public let expires: Timestamp
    /// The refresh token; nil when none was issued, which keeps the one from before.
    public let refreshToken: Secret?

    /// Tokens.
    public init(idToken: Secret, expires: Timestamp, refreshToken: Secret?) {
      self.idToken = idToken
      self.expires = expires
      self.refreshToken = refreshToken
    }
  }

  /// Who signed in; nil in a refresh, which keeps who did.
  public let identifier: String?
  /// The session; nil when there is no server.
  public let session: Session?
  /// What a later refresh needs to sign in again.
  public let password: Secret?
  /// What the identity provider issued; nil without one.
  public let tokens: Tokens?
  /// Whose profile the app shows; nil when that is not known here.
  public let employeeId: String?
  /// What the strategy itself wants kept, by a name of its own; it is stored as `auth.plugin.STRATEGY.NAME`.
  public let state: [String: String]

  /// A sign-in.
  public init(
    identifier: String?, session: Session?, password: Secret? = nil, tokens: Tokens? = nil, employeeId: String? = nil,
    state: [String: String] = [:]
  ) {
    self.identifier = identifier
    self.session = session
    self.password = password
    self.tokens = tokens
    self.employeeId = employeeId
    self.state = state
  }
}
