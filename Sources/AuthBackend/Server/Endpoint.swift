/// What the backend answers, by the path below the issuer's.
enum Endpoint: String, CaseIterable, Sendable {
  case authorize = "/authorize"
  case token = "/oauth/token"
  case revoke = "/oauth/revoke"
  case logout = "/oauth/logout"
  case endSession = "/oauth/end_session"
  case userInfo = "/oauth/userinfo"
  case introspect = "/oauth/introspect"
  case denials = "/oauth/denials"
  case deviceAuthorization = "/oauth/device_authorization"
  case attestationChallenge = "/oauth/attestation_challenge"
  case device = "/device"
  case devices = "/devices"
  case password = "/password"
  case openIDConfiguration = "/.well-known/openid-configuration"
  case authorizationServer = "/.well-known/oauth-authorization-server"
  case keys = "/.well-known/jwks.json"
  case appleAppSiteAssociation = "/.well-known/apple-app-site-association"
  case assetLinks = "/.well-known/assetlinks.json"
  case health = "/healthz"
  case readiness = "/readyz"

  /// Its name in logs and metrics.
  var name: String { Endpoint.names[self] ?? rawValue }
  private static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0, "\($0)") })

  /// The methods that it takes; `HEAD` goes with `GET`.
  var methods: [String] {
    switch self {
    case .authorize, .endSession, .userInfo, .device, .devices, .password: ["GET", "HEAD", "POST"]
    case .token, .revoke, .logout, .introspect, .deviceAuthorization, .attestationChallenge: ["POST"]
    case .denials, .openIDConfiguration, .authorizationServer, .keys, .appleAppSiteAssociation, .assetLinks, .health,
      .readiness:
      ["GET", "HEAD"]
    }
  }

  /// Whether a browser shows what it answers.
  var isForPeople: Bool { [.authorize, .endSession, .device, .devices, .password].contains(self) }

  /// What is asked for at the root of a host, whatever the issuer's path is: what operators ask, and what the makers of
  /// phones' systems look for (RFC 8615).
  private static let atRoot: [Endpoint] = [.health, .readiness, .appleAppSiteAssociation, .assetLinks]

  /// What stands at a path of a server whose issuer has the path `base`. The metadata of RFC 8414 have the issuer's path at
  /// their end (3.1), and what operators ask is at the root.
  static func at(_ path: String, base: String) -> Endpoint? {
    if path == authorizationServer.rawValue + base { return .authorizationServer }
    for endpoint in atRoot where path == endpoint.rawValue { return endpoint }
    guard path.hasPrefix(base), let endpoint = Endpoint(rawValue: String(path.dropFirst(base.count))) else {
      return nil
    }
    return base.isEmpty || !([.authorizationServer] + atRoot).contains(endpoint) ? endpoint : nil
  }
}
