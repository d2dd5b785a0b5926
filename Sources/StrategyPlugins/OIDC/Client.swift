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

  /// The client of the settings. Throws ``StrategyError/Reason/badSettings``.
  public init(_ call: Call) throws(StrategyError) {
    id = try call.setting("EXPO_PUBLIC_OIDC_CLIENT_ID")
    let scopes = call.settings["EXPO_PUBLIC_OIDC_SCOPES"] ?? "openid email profile"
    guard scopes.split(separator: " ").contains("openid") else {
      throw StrategyError(.badSettings, "EXPO_PUBLIC_OIDC_SCOPES has no 'openid', without which there is no ID token")
    }
    self.scopes = scopes
    employeeClaim = call.settings["EXPO_PUBLIC_OIDC_EMPLOYEE_CLAIM"].flatMap { $0.isEmpty ? nil : $0 } ?? "employeeId"
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
