public import Basics

/// What an operator sets of the backend. Times are in seconds.
public struct BackendSettings: Equatable, Sendable {
  /// The issuer (RFC 8414 2): `https`, or `http` on loopback; no query, no fragment, no slash at its end.
  public var issuer: String
  /// How long access tokens live, at most 900.
  public var accessTokenSeconds: Int64 = 600
  /// How long ID tokens live.
  public var idTokenSeconds: Int64 = 600
  /// How long authorization codes live, at most 600.
  public var codeSeconds: Int64 = 60
  /// The absolute lifetime of a family.
  public var familySeconds: Int64 = 90 * 86_400
  /// How long a family may stay unused.
  public var idleSeconds: Int64 = 30 * 86_400
  /// How long a browser stays signed in.
  public var browserSessionSeconds: Int64 = 8 * 3_600
  /// How long a device code lives (RFC 8628 3.2).
  public var deviceCodeSeconds: Int64 = 600
  /// How many seconds must be between two polls of a device.
  public var devicePollSeconds: Int64 = 5
  /// User codes that are free to type, for one browser's session; and the first delay after them, which doubles.
  public var freeUserCodes: Int64 = 5
  /// The first delay after ``freeUserCodes``.
  public var userCodeDelaySeconds: Int64 = 5
  /// The longest such delay.
  public var userCodeDelayLimitSeconds: Int64 = 900
  /// How long a challenge for an attestation is good.
  public var attestationChallengeSeconds: Int64 = 300
  /// Whose ID tokens apps may exchange; a client names its own ids there by ``IdentityProvider/clientIDsProperty``.
  public var identityProviders: [IdentityProvider] = [.apple, .google]
  /// Hosts that the server may ask although their address is not public, as they stand in URLs.
  public var privateHosts: Set<String> = []
  /// The least characters of a new password.
  public var passwordLength: Int = 12
  /// Failed rotations that end the family which they name, and the window in which they count.
  public var rotationFailures: Int64 = 5
  /// The window of ``rotationFailures``.
  public var rotationFailureSeconds: Int64 = 600
  /// Token requests for one client from one address in a minute.
  public var tokenRequestsPerClientAndAddress: Int = 120
  /// How often one device of a user's is given tokens in a minute.
  public var tokenRequestsPerDevice: Int = 30
  /// Requests at `/authorize` for one client from one address in a minute.
  public var authorizationRequestsPerClientAndAddress: Int = 300
  /// Requests from one address in a minute at each of revocation, userinfo and sign-out.
  public var callsPerAddress: Int = 600
  /// Wrong passwords that are free, for one account from one place.
  public var freePasswords: Int64 = 5
  /// The first delay after them, which doubles.
  public var passwordDelaySeconds: Int64 = 2
  /// The longest such delay.
  public var passwordDelayLimitSeconds: Int64 = 900
  /// Passwords that are checked at the same time; each takes the memory of an Argon2id hash and a processor.
  public var passwordWorkers: Int = 1
  /// Passwords that may wait for that; more are told to try again.
  public var passwordQueue: Int = 16
  /// ID tokens of providers that are verified at the same time, and may wait for the provider's keys; more are told to try again.
  public var exchangesAtOnce: Int = 8
  /// Numeric addresses of proxies whose `X-Forwarded-For` is believed.
  public var trustedProxies: Set<String> = [] {
    didSet { trustedProxies = Set(trustedProxies.map { AddressText.canonical($0) ?? $0 }) }
  }
  /// Whether this server itself speaks TLS, so that browsers are told to come by it alone (RFC 6797).
  public var speaksTLS = false
  /// How many seconds another's clock may differ from ours.
  public var leewaySeconds: Int64 = 60

  /// The defaults for an issuer. Throws ``FailureCode/configuration`` for one that cannot be.
  public init(issuer: String) throws(Failure) {
    guard let place = IssuerPlace(issuer) else {
      throw Failure(
        .configuration, "the issuer '\(OutsideText.clean(issuer, limit: 200))' cannot be used",
        hint: "give https://HOST or https://HOST/PATH without a slash at the end, or http://127.0.0.1:PORT for a trial")
    }
    self.issuer = issuer
    path = place.path
    isSecure = place.isSecure
  }

  /// The path of the issuer: empty, or it begins with a slash and does not end with one.
  let path: String
  /// Whether people reach it by TLS, so that cookies are `Secure` and have the `__Host-` prefix.
  let isSecure: Bool
}

/// An issuer taken apart.
struct IssuerPlace {
  let path: String
  let isSecure: Bool

  init?(_ issuer: String) {
    let utf8 = issuer.utf8
    guard utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }), !issuer.contains("?"),
      !issuer.contains("#"), !issuer.contains("@"), !issuer.hasSuffix("/")
    else { return nil }
    let scheme = issuer.hasPrefix("https://") ? "https://" : "http://"
    guard issuer.hasPrefix(scheme) else { return nil }
    let rest = issuer.dropFirst(scheme.count)
    let host = rest.prefix { $0 != "/" }
    guard !host.isEmpty else { return nil }
    isSecure = scheme == "https://"
    if !isSecure {
      let name = host.hasPrefix("[::1]") ? "[::1]" : String(host.prefix { $0 != ":" })
      guard ["127.0.0.1", "[::1]", "localhost"].contains(name) else { return nil }
    }
    path = String(rest.dropFirst(host.count))
  }
}
