internal import Basics
public import StrategyKit

/// The implicit flow (OpenID Connect Core 3.2) with an ID token alone: the token comes through the browser and is exchanged for
/// the gateway's session. RFC 9700 2.1.2 advises against it.
public enum ImplicitFlow {
  /// Why another flow is better, for whoever signs in.
  public static let advice =
    "The implicit flow hands the token through the browser and cannot be refreshed without it: where the provider "
    + "can, choose oidc_code (RFC 9700 2.1.2)."

  /// Signs in in the browser.
  public static func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    let gateway = try Gateway(call), client = try Client(call)
    let provider = try Provider(host)
    try provider.check(responseType: "id_token", challenge: false, host)
    try host.show(advice)
    let nonce = try host.randomText()
    let hint = call.identifier.map { [(name: "login_hint", value: $0)] } ?? []
    let answer = try provider.authorize(
      client, responseType: "id_token", response: .fragment, nonce: nonce, extra: hint, anywhere: true, host)
    guard let token = answer?.secret("id_token") else {
      throw StrategyError(.protocolViolation, "The identity provider's answer has no ID token.")
    }
    let identity = try Identity(
      token, from: .authorization, nonce: nonce, accessToken: answer?.secret("access_token"), refreshToken: nil,
      client: client, host)
    let session = try gateway.openSession(bearer: token, host)
    return identity.signIn(with: session, identifier: identity.identifier, at: gateway, call, host)
  }
}
