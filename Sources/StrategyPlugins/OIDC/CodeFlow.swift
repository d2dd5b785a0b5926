internal import Basics
public import StrategyKit

/// The authorization code flow with PKCE (RFC 6749 4.1, RFC 7636, RFC 8252; OpenID Connect Core 3.1), from the sign-in to the
/// gateway's session.
public enum CodeFlow {
  /// Signs in: in the browser, or with a code to type on another device (RFC 8628) when there is no browser here and the
  /// provider gives this client one, or by hand.
  public static func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    let gateway = try Gateway(call), client = try Client(call)
    let provider = try Provider(host)
    // What is wrong with it is said now, not at the sign-out.
    _ = try client.revocationEndpoint(at: provider)
    if try GatewayFlow.isChosen(call) { return try GatewayFlow.login(call, gateway, client, provider, host) }
    try provider.check(responseType: "code", challenge: true, host)
    let nonce = try host.randomText()
    var extra = call.identifier.map { [(name: "login_hint", value: $0)] } ?? []
    extra += try host.deviceIdentifier.map { [(name: "device_id", value: $0)] } ?? []
    let parameters = extra
    func visit(anywhere: Bool) throws(StrategyError) -> AuthorizationResponse? {
      try provider.authorize(
        client, responseType: "code", response: .query, nonce: nonce, extra: parameters, anywhere: anywhere, host)
    }
    var visited = try visit(anywhere: provider.deviceAuthorizationEndpoint == nil)
    if visited == nil {
      if let tokens = try DeviceFlow.tokens(client, at: provider, host) {
        return try finish(tokens, nonce: nil, gateway: gateway, client: client, call, host)
      }
      // A client that is not registered for such codes can still be signed in for in a browser elsewhere.
      visited = try visit(anywhere: true)
    }
    guard let answer = visited else {
      throw StrategyError(.interactionNeeded, "There is no browser to sign in with.")
    }
    guard let code = answer.secret("code"), let verifier = answer.codeVerifier else {
      throw StrategyError(.protocolViolation, "The identity provider's answer has no code.")
    }
    // A code is exchanged once, whatever comes of it: a second try would look like theft (RFC 6749 4.1.2).
    let tokens = try Tokens(
      [
        ("grant_type", "authorization_code"), ("code", .secret(code)), ("redirect_uri", .text(answer.redirectURI)),
        ("code_verifier", .secret(verifier)),
      ], at: provider, of: client, rejects: .refused, host)
    return try finish(tokens, nonce: nonce, gateway: gateway, client: client, call, host)
  }

  private static func finish(
    _ tokens: Tokens, nonce: String?, gateway: Gateway, client: Client, _ call: Call, _ host: Host
  ) throws(StrategyError) -> SignIn {
    guard let idToken = tokens.idToken else {
      throw StrategyError(
        .refused, "The identity provider issued no ID token: is 'openid' among the scopes that this client may have?")
    }
    let identity = try Identity(
      idToken, from: .code, nonce: nonce, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
      client: client, host)
    let session = try gateway.openSession(bearer: idToken, host)
    return identity.signIn(with: session, identifier: identity.identifier, at: gateway, call, host)
  }
}
