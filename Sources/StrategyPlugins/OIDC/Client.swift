internal import Basics
public import StrategyKit

/// The app at the identity provider: a public client, without a secret of its own.
public struct Client: Sendable {
  /// Its id.
  public let id: String
  /// What it asks for.
  public let scopes: String
  /// The claim that names whose profile the app shows.
  public let employeeClaim: String
  // Where tokens are revoked, as the settings say; nothing goes there before it is compared with the provider.
  private let givenRevocationEndpoint: String?

  /// The client of the settings. Throws ``StrategyError/Reason/badSettings``.
  public init(_ call: Call) throws(StrategyError) {
    id = try call.setting("EXPO_PUBLIC_OIDC_CLIENT_ID")
    let scopes = call.settings["EXPO_PUBLIC_OIDC_SCOPES"] ?? "openid email profile"
    guard scopes.split(separator: " ").contains("openid") else {
      throw StrategyError(.badSettings, "EXPO_PUBLIC_OIDC_SCOPES has no 'openid', without which there is no ID token")
    }
    self.scopes = scopes
    employeeClaim = call.settings["EXPO_PUBLIC_OIDC_EMPLOYEE_CLAIM"].flatMap { $0.isEmpty ? nil : $0 } ?? "employeeId"
    givenRevocationEndpoint = call.settings["EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Where the settings have tokens revoked (RFC 7009), for a provider whose metadata do not say; nil when they say nothing.
  /// It must be on the server of the issuer or of the token endpoint, which see refresh tokens anyway. Throws
  /// ``StrategyError/Reason/badSettings``.
  func revocationEndpoint(at provider: Provider) throws(StrategyError) -> String? {
    guard let url = givenRevocationEndpoint else { return nil }
    let places = [provider.issuer, provider.tokenEndpoint].compactMap { $0.flatMap { Client.server($0) } }
    guard let place = Client.server(url), places.contains(place) else {
      throw StrategyError(
        .badSettings,
        "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT is not on the server of the identity provider's issuer or token endpoint")
    }
    return url
  }

  // Scheme, host and port, the scheme's own left out. Whatever else stands before the path makes it another text.
  private static func server(_ url: String) -> String? {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[1].isEmpty, !parts[2].isEmpty else { return nil }
    let scheme = parts[0].lowercased(), host = parts[2].lowercased()
    guard let port = ["https:": ":443", "http:": ":80"][scheme] else { return nil }
    return scheme + "//" + (host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)
  }

  /// Who signed in, in words that a person knows: the user name, the address, or the provider's id for them.
  func identifier(_ claims: JSON) -> String? {
    for name in ["preferred_username", "email", "sub"] {
      if let text = claims[name]?.text, !text.isEmpty { return OutsideText.clean(text, limit: 256) }
    }
    return nil
  }

  /// Whose profile the app shows; nil when the token does not say.
  func employeeId(_ claims: JSON) -> String? {
    switch claims[employeeClaim] {
    case .string(let text)? where !text.isEmpty: OutsideText.clean(text, limit: 256)
    case .number(let text)?: text
    default: nil
    }
  }
}
