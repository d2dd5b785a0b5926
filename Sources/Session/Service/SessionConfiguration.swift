public import Basics
internal import HTTPClient

/// What the settings say about signing in.
public struct SessionConfiguration: Sendable {
  /// Where credentials belong, as these settings have it.
  public private(set) var binding: SessionBinding
  /// Every resolved setting that a strategy may declare, by name.
  public let settings: [String: String]
  /// How many seconds before the end of a session its refresh is due.
  public let skew: Int64
  /// The origins of the settings that are URLs of services; the ID token may be shown to these.
  public let origins: [String]

  /// The strategy's name.
  public var strategy: String { binding.strategy }
  /// Whether the strategy involves no server.
  public var isLocal: Bool { strategy == SessionRecord.localStrategy }

  /// Whether the ID token is what is presented to the gateway, and not the session's cookie.
  public var presentsBearer: Bool { settings["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] == "true" }

  /// What resolved settings say. Throws ``FailureCode/configuration`` when they cannot be used to sign in.
  /// `origins` are those of the settings that are URLs.
  public init(settings: [String: String], origins: [String] = []) throws(Failure) {
    self.origins = origins
    func value(_ name: String) -> String? { settings[name].flatMap { $0.isEmpty ? nil : $0 } }
    let strategy = value("EXPO_PUBLIC_AUTH_STRATEGY") ?? "basic"
    guard (1...32).contains(strategy.utf8.count), strategy.utf8.allSatisfy(SessionText.isToken) else {
      throw SessionConfiguration.unusable("EXPO_PUBLIC_AUTH_STRATEGY", "is not the name of a strategy")
    }
    let database = value("EXPO_PUBLIC_SG_DB") ?? "mfs"
    let isLocal = strategy == SessionRecord.localStrategy
    var gateway: String?
    if let url = value("EXPO_PUBLIC_SG_URL") {
      gateway = HTTPOrigin(of: url)?.description
      guard gateway != nil || isLocal else {
        throw SessionConfiguration.unusable(
          "EXPO_PUBLIC_SG_URL", "is not a URL of scheme wss, ws, https or http with a host")
      }
    }
    guard gateway != nil || isLocal else {
      throw SessionConfiguration.unusable("EXPO_PUBLIC_SG_URL", "is not set, and strategy \(strategy) needs it")
    }
    skew = try SessionConfiguration.skew(value("EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC"))
    binding = SessionBinding(
      strategy: strategy, issuer: value("EXPO_PUBLIC_OIDC_ISSUER"), clientId: value("EXPO_PUBLIC_OIDC_CLIENT_ID"),
      gateway: gateway, database: database,
      revocation: try SessionConfiguration.revocation(
        value("EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT"), issuer: value("EXPO_PUBLIC_OIDC_ISSUER")))
    guard binding.text != nil else { throw SessionBinding.unusable }
    // The strategy is given the very values that its credentials are bound to.
    self.settings = settings.merging(["EXPO_PUBLIC_AUTH_STRATEGY": strategy, "EXPO_PUBLIC_SG_DB": database]) { $1 }
  }

  /// The same with credentials bound to the servers of these settings too: those that the strategy may talk to. A change of one would
  /// have the strategy send elsewhere what it got here.
  func bound(by names: [String]) -> SessionConfiguration {
    let known = ["EXPO_PUBLIC_SG_URL", "EXPO_PUBLIC_OIDC_ISSUER", "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT"]
    let servers = Set(names).subtracting(known).sorted().map { name in
      "\(name)=\(settings[name].flatMap { HTTPOrigin(of: $0)?.description } ?? "none")"
    }
    var bound = self
    bound.binding = SessionBinding(
      strategy: binding.strategy, issuer: binding.issuer, clientId: binding.clientId, gateway: binding.gateway,
      database: binding.database, revocation: binding.revocation, servers: servers.joined(separator: " "))
    return bound
  }

  // What is added on the issuer's own server brings no other place to send to, and can be added to a sign-in.
  private static func revocation(_ url: String?, issuer: String?) throws(Failure) -> String? {
    guard let url else { return nil }
    guard let origin = HTTPOrigin(of: url) else {
      throw unusable("EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT", "is not a URL of scheme https or http with a host")
    }
    return origin == issuer.flatMap({ HTTPOrigin(of: $0) }) ? nil : origin.description
  }

  private static func skew(_ text: String?) throws(Failure) -> Int64 {
    guard let text else { return 300 }
    guard let seconds = Int64(text), (0...86_400).contains(seconds) else {
      throw unusable("EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC", "is not a number of seconds from 0 to 86400")
    }
    return seconds
  }

  private static func unusable(_ name: String, _ why: String) -> Failure {
    Failure(.configuration, "\(name) \(why)", hint: "run 'mfsctl env lint'")
  }
}
