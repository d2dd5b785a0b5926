public import JOSE

/// How the identity provider is configured: its one client, what it issues and for how long, and what it leaves out.
public struct ProviderOptions: Sendable, Equatable {
  /// When a refresh token is issued.
  public enum RefreshTokens: String, Sendable, CaseIterable {
    /// For every code and every device.
    case always
    /// When the scope has `offline_access` (OpenID Connect Core 11).
    case offlineAccess = "offline-access"
    /// Never.
    case never
  }

  /// The id of the one client, which is public and has no secret.
  public var clientID = "mfs"
  /// Where answers may go. Compared byte for byte, but for the port of a loopback address (RFC 8252 7.3).
  public var redirects = ["http://127.0.0.1/callback"]
  /// Where a browser may go after a logout, by the same rule.
  public var postLogoutRedirects = ["http://127.0.0.1/callback"]
  /// What ID tokens are signed with. Another one takes effect with a new key.
  public var algorithm = JWSAlgorithm.rs256
  /// Whether a code is issued without PKCE too. Only S256 is known either way.
  public var requiresPKCE = true
  /// Whether answers name the issuer (RFC 9207), and the metadata say so.
  public var namesIssuer = true
  /// Whether ID tokens have `azp`.
  public var namesAuthorizedParty = false
  /// `employeeId` of users, by their names.
  public var employeeIDs: [String: String] = [:]
  /// When a refresh token is issued.
  public var refreshTokens = RefreshTokens.always
  /// Whether each use of a refresh token replaces it, and a second use ends the sign-in (RFC 9700 4.14.2).
  public var rotatesRefreshTokens = true
  /// Whether a refresh brings a new ID token.
  public var refreshBringsIDToken = true
  /// Whether a rejected refresh token is answered with 400 and no body, as glewlwyd does.
  public var rejectsRefreshWithoutBody = false
  /// Endpoints that it does not have: they are 404 and not in the metadata.
  public var absent: Set<ProviderEndpoint> = []
  /// How many seconds an ID token lives.
  public var idTokenLifetime: Int64 = 3_600
  /// How many seconds an access token lives.
  public var accessTokenLifetime: Int64 = 600
  /// How many seconds a refresh token lives, each anew.
  public var refreshTokenLifetime: Int64 = 1_209_600
  /// How many seconds a code lives.
  public var codeLifetime: Int64 = 60
  /// How many seconds the browser stays signed in.
  public var loginLifetime: Int64 = 86_400
  /// How many seconds a device code lives.
  public var deviceCodeLifetime: Int64 = 600
  /// How many seconds a device waits between two questions.
  public var deviceInterval: Int64 = 5

  /// The defaults: the client `mfs`, RS256, PKCE, rotation.
  public init() {}
}

/// What the provider answers at which path.
public enum ProviderEndpoint: String, Sendable, CaseIterable {
  /// The metadata (OpenID Connect Discovery 4).
  case discovery
  /// The public keys.
  case jwks
  /// Where a person signs in, and what the client then gets.
  case authorize
  /// Where grants are exchanged for tokens.
  case token
  /// Revocation (RFC 7009).
  case revoke
  /// Claims about the user (OpenID Connect Core 5.3).
  case userinfo
  /// Introspection (RFC 7662).
  case introspect
  /// Where a device begins (RFC 8628 3.1).
  case deviceAuthorization = "device-authorization"
  /// Where a person types a device's code.
  case device
  /// RP-Initiated Logout 1.0.
  case endSession = "end-session"

  /// The path, below the issuer.
  public var path: String {
    switch self {
    case .discovery: "/.well-known/openid-configuration"
    case .jwks: "/jwks"
    case .authorize: "/authorize"
    case .token: "/token"
    case .revoke: "/revoke"
    case .userinfo: "/userinfo"
    case .introspect: "/introspect"
    case .deviceAuthorization: "/device_authorization"
    case .device: "/device"
    case .endSession: "/end_session"
    }
  }

  var methods: [String] {
    switch self {
    case .discovery, .jwks: ["GET", "HEAD"]
    case .authorize, .device, .endSession, .userinfo: ["GET", "POST"]
    case .token, .revoke, .introspect, .deviceAuthorization: ["POST"]
    }
  }
}
