internal import Basics
internal import StrategyKit

/// The authorization request that a gateway makes (`GET /DB/_oidc`, a redirect that is not followed), checked before a person
/// is sent there.
struct GatewayRequest {
  /// Its `state`, which the gateway has tied to its cookie.
  let state: String
  /// What ties the ID token to this sign-in: the gateway's own nonce, or one that was added.
  let nonce: String
  /// The gateway's cookies, as the value of a Cookie header; nil when it set none.
  let cookies: Secret?
  private let address: URLQuery

  /// Asks the gateway for it; `name` is the provider's there, nil for its default. Throws ``StrategyError/Reason/refused`` when
  /// it leads elsewhere than to the identity provider of the settings and back to this machine.
  init(
    _ name: String?, at gateway: Gateway, of client: Client, _ provider: Provider, _ host: Host
  ) throws(StrategyError) {
    // A refresh token is issued for that alone.
    var query: [(name: String, value: Part)] = [("offline", "true")]
    if let name { query.append(("provider", .text(name))) }
    let response = try host.send(HTTPRequest("GET", gateway.url("_oidc"), query: query))
    guard (300..<400).contains(response.status) else {
      guard !(200..<300).contains(response.status) else {
        throw StrategyError(
          .protocolViolation, "The gateway does not lead to an identity provider.", status: response.status)
      }
      throw try gateway.refusal(response, of: .nothing, host)
    }
    guard let location = response.values("location").first?.trimmingSpaces(), !location.isEmpty else {
      throw StrategyError(
        .protocolViolation, "The gateway redirects to nowhere: its Location is missing or empty.",
        status: response.status)
    }
    guard let address = URLQuery(location), !address.page.isEmpty else {
      throw StrategyError(.protocolViolation, "The gateway leads to an address that cannot be read.")
    }
    try GatewayRequest.check(address, gateway, client, provider)
    guard let state = address.single("state") else {
      throw StrategyError(
        .refused,
        "The gateway sends no state (its disable_callback_state is on), without which somebody else's answer could be "
          + "slipped in: turn that off.")
    }
    self.address = address
    self.state = state
    nonce = if let own = address.single("nonce") { own } else { try host.randomText() }
    cookies = try gateway.cookies(of: response, host)
  }

  /// The page to send the person to. `hint` is who is expected to sign in. Throws ``StrategyError/Reason/refused`` when no
  /// browser is sent to so long an address.
  func page(hint: String?) throws(StrategyError) -> AuthorizationRequest {
    var parameters = address.items.map { (name: $0.name, value: $0.value) }
    func add(_ name: String, _ value: String) {
      guard address.single(name) == nil else { return }
      // One without a value counts as absent (RFC 6749 3.1).
      parameters.removeAll { $0.name == name }
      parameters.append((name, value))
    }
    add("nonce", nonce)
    if let hint { add("login_hint", hint) }
    try GatewayRequest.checkLength(address.page, parameters)
    return AuthorizationRequest(address.page, parameters: parameters, hasRedirect: true)
  }
}
