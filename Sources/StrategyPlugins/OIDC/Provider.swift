internal import Basics
public import StrategyKit

/// An identity provider, as its metadata describe it (OpenID Connect Discovery 1.0 3, RFC 8414 2). The host has checked
/// that they are the issuer's own, and lets this plugin talk to the endpoints they name.
public struct Provider: Sendable {
  /// The issuer.
  public let issuer: String
  /// Where a person signs in.
  public let authorizationEndpoint: String
  /// Where codes and refresh tokens are exchanged.
  public let tokenEndpoint: String?
  /// Where tokens are revoked (RFC 7009).
  public let revocationEndpoint: String?
  /// Where the provider's own session is ended (OpenID Connect RP-Initiated Logout 1.0).
  public let endSessionEndpoint: String?
  /// Where a device asks for a code to show (RFC 8628).
  public let deviceAuthorizationEndpoint: String?
  /// Whether an authorization response always names its issuer (RFC 9207).
  public let namesIssuer: Bool
  private let challengeMethods: [String]?
  private let responseTypes: [String]?

  /// Asks the host for the provider.
  public init(_ host: Host) throws(StrategyError) {
    let metadata = try host.discoverProvider()
    guard let issuer = metadata["issuer"]?.text, let authorization = metadata["authorization_endpoint"]?.text else {
      throw StrategyError(.protocolViolation, "The identity provider's metadata cannot be used.")
    }
    self.issuer = issuer
    authorizationEndpoint = authorization
    tokenEndpoint = metadata["token_endpoint"]?.text
    revocationEndpoint = metadata["revocation_endpoint"]?.text
    endSessionEndpoint = metadata["end_session_endpoint"]?.text
    deviceAuthorizationEndpoint = metadata["device_authorization_endpoint"]?.text
    namesIssuer = metadata["authorization_response_iss_parameter_supported"] == .bool(true)
    challengeMethods = metadata["code_challenge_methods_supported"]?.texts
    responseTypes = metadata["response_types_supported"]?.texts
  }

  /// Checks that the provider can do what a flow needs. A provider that does not say is tried, and that it does not is logged.
  /// Throws ``StrategyError/Reason/refused``.
  func check(responseType: String, challenge: Bool, _ host: Host) throws(StrategyError) {
    if let types = responseTypes, !types.contains(where: { Provider.words($0) == Provider.words(responseType) }) {
      throw StrategyError(
        .refused, "The identity provider does not offer the response type '\(responseType)': choose another strategy.")
    }
    guard challenge else { return }
    guard let methods = challengeMethods else {
      return host.log(
        .warning,
        "the identity provider does not say that it checks PKCE (code_challenge_methods_supported): if it does not, "
          + "a stolen code is as good as the real one")
    }
    guard methods.contains("S256") else {
      throw StrategyError(
        .refused, "The identity provider does not offer PKCE with S256, without which nobody signs in.")
    }
  }

  // The order of the words does not count (OAuth 2.0 Multiple Response Type Encoding Practices 3).
  private static func words(_ type: String) -> Set<Substring> { Set(type.split(separator: " ")) }
}

extension JSON {
  /// The texts, when this is an array of strings.
  var texts: [String]? {
    guard case .array(let items) = self else { return nil }
    let texts = items.compactMap(\.text)
    return texts.count == items.count ? texts : nil
  }
}
