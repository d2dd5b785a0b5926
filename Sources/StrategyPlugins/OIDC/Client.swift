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
  /// Where tokens are revoked, as the settings say: for a provider whose metadata do not.
  public let revocationEndpoint: String?

  /// The client of the settings. Throws ``StrategyError/Reason/badSettings``.
  public init(_ call: Call) throws(StrategyError) {
    id = try call.setting("EXPO_PUBLIC_OIDC_CLIENT_ID")
    let scopes = call.settings["EXPO_PUBLIC_OIDC_SCOPES"] ?? "openid email profile"
    guard scopes.split(separator: " ").contains("openid") else {
      throw StrategyError(.badSettings, "EXPO_PUBLIC_OIDC_SCOPES has no 'openid', without which there is no ID token")
    }
    self.scopes = scopes
    employeeClaim = call.settings["EXPO_PUBLIC_OIDC_EMPLOYEE_CLAIM"].flatMap { $0.isEmpty ? nil : $0 } ?? "employeeId"
    revocationEndpoint = try Client.revocationEndpoint(call)
  }

  // As with the endpoints of the metadata: https, or plain for an issuer that is on this machine, and then on its own server.
  private static func revocationEndpoint(_ call: Call) throws(StrategyError) -> String? {
    let name = "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT"
    guard let url = call.settings[name], !url.isEmpty else { return nil }
    let issuer = try call.setting("EXPO_PUBLIC_OIDC_ISSUER")
    guard url.hasPrefix("https://") || url.hasPrefix("http://") && server(url) == server(issuer) else {
      throw StrategyError(.badSettings, "\(name) is not an https URL")
    }
    return url
  }

  // Scheme, nothing, and host with port.
  private static func server(_ url: String) -> [Substring] {
    Array(url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3))
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
