internal import Basics
public import StrategyKit

/// The end of a sign-in, told to everyone who knows of it: the gateway, the provider, and the provider's page in the browser.
public enum Closing {
  /// Ends the gateway's session, revokes the refresh token and offers the provider's page that ends its own session. One
  /// that cannot be reached does not keep the others from being told; the first trouble is thrown at the end.
  public static func logout(
    _ call: Call, strategy: String, hasRefreshToken: Bool = true, _ host: Host
  ) throws(StrategyError) {
    let gateway = try Gateway(call), client = try Client(call)
    var trouble: StrategyError?
    do throws(StrategyError) { try closeSession(gateway, host) } catch { trouble = error }
    let refreshToken = hasRefreshToken ? try host.stored("auth.refreshToken") : nil
    let idToken = try host.stored("auth.idToken")
    guard refreshToken != nil || idToken != nil else {
      if let trouble { throw trouble }
      return
    }
    do throws(StrategyError) {
      let provider = try Provider(host)
      if let refreshToken {
        let isGateways = hasRefreshToken ? try GatewayFlow.isStored(strategy, host) : false
        try revoke(refreshToken, at: provider, of: client, isGateways: isGateways, host)
      }
      try endSession(at: provider, of: client, host)
    } catch { trouble = trouble ?? error }
    if let trouble { throw trouble }
  }

  private static func closeSession(_ gateway: Gateway, _ host: Host) throws(StrategyError) {
    guard let id = try host.stored("auth.sessionId") else { return }
    let name: Part =
      if let stored = try host.stored("auth.cookieName") { .secret(stored) } else { .text(Gateway.defaultCookieName) }
    try gateway.closeSession(id: id, cookieName: name, host)
  }

  /// Revokes a refresh token (RFC 7009). A provider without the endpoint has nothing to be told; a token that it does not
  /// know any more is revoked.
  static func revoke(
    _ token: Secret, at provider: Provider, of client: Client, isGateways: Bool = false, _ host: Host
  ) throws(StrategyError) {
    guard let endpoint = provider.revocationEndpoint else {
      host.log(.warning, "the identity provider names no revocation endpoint: the refresh token lives on until it ends")
      return
    }
    var response = try post(token, to: endpoint, client, nil, host)
    if isGateways, response.status == 401 {
      host.log(.warning, "the provider lets only the gateway revoke the refresh token: it lives on until it ends")
      return
    }
    if response.status == 401 {
      // Some let only the holder of an access token in (glewlwyd): a last refresh gets one, and the token to revoke.
      let last = try Tokens(
        [("grant_type", "refresh_token"), ("refresh_token", .secret(token))], at: provider, of: client,
        rejects: .badCredentials, host)
      guard let access = last.accessToken else { throw try .endpoint(response, rejects: .refused, host) }
      let authorization = try host.join("Bearer ", .secret(access))
      response = try post(last.refreshToken ?? token, to: endpoint, client, authorization, host)
    }
    guard (200..<300).contains(response.status) else { throw try .endpoint(response, rejects: .refused, host) }
  }

  private static func post(
    _ token: Secret, to endpoint: String, _ client: Client, _ authorization: Secret?, _ host: Host
  ) throws(StrategyError) -> HTTPResponse {
    try host.post(
      [("token", .secret(token)), ("token_type_hint", "refresh_token"), ("client_id", .text(client.id))],
      to: endpoint, authorization: authorization)
  }

  // RP-Initiated Logout 1.0 2: the hint says whose session it is, so that nobody has to be asked.
  private static func endSession(
    at provider: Provider, of client: Client, _ host: Host
  ) throws(StrategyError) {
    guard let page = provider.endSessionEndpoint else { return }
    var parameters: [(name: String, value: Part)] = [("client_id", .text(client.id))]
    if let token = try host.stored("auth.idToken") { parameters.append(("id_token_hint", .secret(token))) }
    let opened: Bool
    do throws(StrategyError) { opened = try host.open(page, parameters: parameters) } catch {
      guard error.reason == .interactionNeeded else { throw error }
      opened = false
    }
    if !opened {
      host.log(.info, "the identity provider's own session was not ended: the next sign-in asks for the password again")
    }
  }
}
