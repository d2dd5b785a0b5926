/// What the backend answers, by the path below the issuer's.
enum Endpoint: String, CaseIterable, Sendable {
  case authorize = "/authorize"
  case token = "/oauth/token"
  case revoke = "/oauth/revoke"
  case logout = "/oauth/logout"
  case endSession = "/oauth/end_session"
  case userInfo = "/oauth/userinfo"
  case introspect = "/oauth/introspect"
  case openIDConfiguration = "/.well-known/openid-configuration"
  case authorizationServer = "/.well-known/oauth-authorization-server"
  case keys = "/.well-known/jwks.json"
  case health = "/healthz"
  case readiness = "/readyz"

  /// The methods that it takes; `HEAD` goes with `GET`.
  var methods: [String] {
    switch self {
    case .authorize, .endSession, .userInfo: ["GET", "HEAD", "POST"]
    case .token, .revoke, .logout, .introspect: ["POST"]
    case .openIDConfiguration, .authorizationServer, .keys, .health, .readiness: ["GET", "HEAD"]
    }
  }

  /// What stands at a path of a server whose issuer has the path `base`. The metadata of RFC 8414 have the issuer's path at
  /// their end (3.1), and what operators ask is at the root.
  static func at(_ path: String, base: String) -> Endpoint? {
    if path == authorizationServer.rawValue + base { return .authorizationServer }
    for endpoint in [Endpoint.health, .readiness] where path == endpoint.rawValue { return endpoint }
    guard path.hasPrefix(base), let endpoint = Endpoint(rawValue: String(path.dropFirst(base.count))) else {
      return nil
    }
    return base.isEmpty || ![.authorizationServer, .health, .readiness].contains(endpoint) ? endpoint : nil
  }
}
