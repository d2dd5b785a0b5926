internal import Basics
internal import StrategyKit

/// The gateway's own authorization code flow (Sync Gateway's `_oidc`, `_oidc_callback` and `_oidc_refresh`): the gateway is the
/// provider's client, perhaps one with a secret, and exchanges the code. Its `callback_url` must lead to this machine.
///
/// The gateway sends no PKCE challenge and no nonce. What can be added from here is: a nonce, which ties the ID token to this
/// sign-in, the comparison of the page with the provider's own metadata, the check of the answer's `state` and `iss`, and the
/// validation of the ID token.
enum GatewayFlow {
  static let setting = "EXPO_PUBLIC_OIDC_CODE_EXCHANGE"
  private static let word = "gateway"
  // What is read from the vault is masked in everything that is said: no word of a sentence may stand there.
  private static let mark = "sync-gateway-code-flow"
  private static let key = "exchange"

  /// Whether the settings choose this flow. Throws ``StrategyError/Reason/badSettings``.
  static func isChosen(_ call: Call) throws(StrategyError) -> Bool {
    switch call.settings[setting] {
    case word?: return true
    case "app"?, ""?, nil: return false
    case let other?:
      throw StrategyError(
        .badSettings, "\(setting) is '\(OutsideText.clean(other, limit: 40))', and neither 'app' nor 'gateway'")
    }
  }

  /// Whether the stored sign-in came by this flow. Its tokens are the gateway's, and those of the other flow the app's: settings
  /// that have changed meanwhile need a new sign-in.
  static func isStored(_ call: Call, _ strategy: String, _ host: Host) throws(StrategyError) -> Bool {
    let isStored = try isStored(strategy, host)
    guard try isChosen(call) == isStored else {
      throw StrategyError(
        .interactionNeeded,
        "\(setting) has changed since the sign-in, and its tokens are another client's: nothing was sent.")
    }
    return isStored
  }

  /// Whether the stored sign-in came by this flow, whatever the settings say.
  static func isStored(_ strategy: String, _ host: Host) throws(StrategyError) -> Bool {
    let stored = try host.storedBytes("auth.plugin.\(strategy).\(key)")
    return stored.map { $0.elementsEqual(mark.utf8) } ?? false
  }

  /// Signs in.
  static func login(
    _ call: Call, _ gateway: Gateway, _ client: Client, _ provider: Provider, _ host: Host
  ) throws(StrategyError) -> SignIn {
    let named = call.settings["EXPO_PUBLIC_OIDC_GATEWAY_PROVIDER"].flatMap { $0.isEmpty ? nil : $0 }
    let begun = try GatewayRequest(named, at: gateway, of: client, provider, host)
    guard let answer = try provider.answer(to: begun.page(hint: call.identifier), host) else {
      throw StrategyError(.interactionNeeded, "There is no browser to sign in with.")
    }
    guard let code = answer.secret("code") else {
      throw StrategyError(.protocolViolation, "The identity provider's answer has no code.")
    }
    var query: [(name: String, value: Part)] = [("code", .secret(code)), ("state", .text(begun.state))]
    // A gateway that has several providers puts the name into its callback_url.
    if let name = named ?? answer.text("provider") { query.append(("provider", .text(name))) }
    var headers: [(name: String, value: Part)] = [("Accept", "application/json")]
    if let cookies = begun.cookies { headers.append(("Cookie", .secret(cookies))) }
    // The code is used up by the first try, whatever comes of it.
    let response = try host.send(HTTPRequest("GET", gateway.url("_oidc_callback"), query: query, headers: headers))
    guard response.status == 200 else { throw try gateway.refusal(response, of: .bearer, host) }
    return try signIn(response, from: .code, nonce: begun.nonce, subject: nil, call, gateway, client, host)
  }

  /// Gets a new session by `_oidc_refresh`. Its answer has no refresh token: a provider that replaces them leaves the gateway
  /// without one after the first, and from then on the session lives as long as it is used.
  static func refresh(
    _ call: Call, _ token: Secret?, subject: String?, _ gateway: Gateway, _ client: Client, _ host: Host
  ) throws(StrategyError) -> SignIn {
    guard let token else { return try Renewal.reuse(gateway, host) }
    var query: [(name: String, value: Part)] = [("refresh_token", .secret(token))]
    if let name = call.settings["EXPO_PUBLIC_OIDC_GATEWAY_PROVIDER"], !name.isEmpty {
      query.append(("provider", .text(name)))
    }
    let response = try host.send(
      HTTPRequest("GET", gateway.url("_oidc_refresh"), query: query, headers: [("Accept", "application/json")]))
    switch response.status {
    case 200: return try signIn(response, from: .refresh, nonce: nil, subject: subject, call, gateway, client, host)
    case 500:
      // It says so for trouble that passes and for a token that is dead. While the session itself is good nobody minds.
      host.log(.warning, "the gateway cannot refresh (HTTP 500); the session from before is tried")
      if let session = try? Renewal.goodSession(gateway, host) { return SignIn(identifier: nil, session: session) }
      if let again = try? Renewal.reuse(gateway, host) { return again }
      throw StrategyError(
        .server,
        "The gateway cannot refresh (HTTP 500). It says the same when a refresh token has ended: if it goes on, sign in "
          + "again.", status: 500)
    default: throw try gateway.refusal(response, of: .bearer, host)
    }
  }

  // The answer of the callback and of the refresh: `id_token`, `refresh_token`, `session_id` and `name`, what is empty left out.
  private static func signIn(
    _ response: HTTPResponse, from source: IDTokenRequest.Source, nonce: String?, subject: String?,
    _ call: Call, _ gateway: Gateway, _ client: Client, _ host: Host
  ) throws(StrategyError) -> SignIn {
    guard let body = JSON(response.body), let token = try Tokens.secret(body["id_token"], host) else {
      throw StrategyError(.protocolViolation, "The gateway's answer has no ID token.", status: response.status)
    }
    let identity = try Identity(
      token, from: source, nonce: nonce, accessToken: try Tokens.secret(body["access_token"], host),
      refreshToken: try Tokens.secret(body["refresh_token"], host), subject: subject, client: client, host)
    // A gateway can be told to make no session here (`disable_session`); the ID token gets one then.
    let session =
      body["session_id"] == nil
      ? try gateway.openSession(bearer: token, host) : try gateway.session(from: response, host)
    guard source == .code else { return identity.signIn(with: session, identifier: nil) }
    let name = body["name"]?.text.map { OutsideText.clean($0, limit: 256) }
    return identity.signIn(
      with: session, identifier: identity.identifier ?? name, state: [key: mark], at: gateway, call, host)
  }
}
