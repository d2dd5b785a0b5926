internal import Basics
public import StrategyKit

/// The end of a sign-in, told to everyone who knows of it: the gateway, the provider, and the provider's page in the browser.
public enum Closing {
  /// Ends the gateway's session, revokes the refresh token and offers the provider's page that ends its own session. One
  /// that cannot be reached does not keep the others from being told.
  public static func signOut(
    _ call: Call, strategy: String, hasRefreshToken: Bool = true, _ host: Host
  ) throws(StrategyError) -> SignOutReport {
    let gateway = try Gateway(call), client = try Client(call)
    var report = SignOutReport()
    report.gateway = try step { () throws(StrategyError) in try closeSession(gateway, host) }
    let refreshToken = hasRefreshToken ? try host.stored("auth.refreshToken") : nil
    let idToken = try host.stored("auth.idToken")
    guard refreshToken != nil || idToken != nil else { return report }
    let provider: Provider
    do throws(StrategyError) { provider = try Provider(host) } catch {
      report.endSession = try SignOutReport.Step(error)
      if refreshToken != nil { report.revocation = report.endSession }
      return report
    }
    if let refreshToken {
      let isGateways = try GatewayFlow.isStored(strategy, host)
      report.revocation = try step { () throws(StrategyError) in
        try revoke(refreshToken, at: provider, of: client, isGateways: isGateways, host)
      }
    }
    report.endSession = try step { () throws(StrategyError) in
      try endSession(at: provider, of: client, idToken, host)
    }
    return report
  }

  private static func step(
    _ body: () throws(StrategyError) -> SignOutReport.Step
  ) throws(StrategyError) -> SignOutReport.Step {
    do throws(StrategyError) { return try body() } catch { return try SignOutReport.Step(error) }
  }

  private static func closeSession(_ gateway: Gateway, _ host: Host) throws(StrategyError) -> SignOutReport.Step {
    guard let id = try host.stored("auth.sessionId") else { return SignOutReport.Step(.nothing) }
    let name: Part =
      if let stored = try host.stored("auth.cookieName") { .secret(stored) } else { .text(Gateway.defaultCookieName) }
    try gateway.closeSession(id: id, cookieName: name, host)
    return SignOutReport.Step(.reached)
  }

  /// Revokes a refresh token (RFC 7009), where the provider's metadata say or else the settings. Without the endpoint it has nothing to be told; a token that it does not
  /// know any more is revoked.
  @discardableResult
  static func revoke(
    _ token: Secret, at provider: Provider, of client: Client, isGateways: Bool = false, _ host: Host
  ) throws(StrategyError) -> SignOutReport.Step {
    let given: String?
    do throws(StrategyError) {
      given = try provider.revocationEndpoint == nil ? client.revocationEndpoint(at: provider) : nil
    } catch {
      // Nothing was asked of anybody, and the others are told all the same.
      return notOffered("\(error.message): nothing was sent there, and the refresh token lives on until it ends.", host)
    }
    guard let endpoint = provider.revocationEndpoint ?? given else {
      return notOffered(
        "The identity provider names no revocation endpoint: the refresh token lives on until it ends.", host)
    }
    var response = try post(token, to: endpoint, client, nil, host)
    if isGateways, response.status == 401 {
      return notOffered(
        "The identity provider lets only the gateway revoke the refresh token: it lives on until it ends.", host)
    }
    if response.status == 401 {
      // Some let only the holder of an access token in (glewlwyd): a last refresh gets one, and the token to revoke.
      let last: Tokens
      do throws(StrategyError) {
        last = try Tokens(
          [("grant_type", "refresh_token"), ("refresh_token", .secret(token))], at: provider, of: client,
          rejects: .badCredentials, host)
      } catch {
        // One that gets nothing any more has no need to be revoked.
        guard error.reason == .badCredentials else { throw error }
        return SignOutReport.Step(.reached)
      }
      guard let access = last.accessToken else { throw try .endpoint(response, rejects: .refused, host) }
      let authorization = try host.join("Bearer ", .secret(access))
      response = try post(last.refreshToken ?? token, to: endpoint, client, authorization, host)
    }
    guard (200..<300).contains(response.status) else { throw try .endpoint(response, rejects: .refused, host) }
    return SignOutReport.Step(.reached)
  }

  private static func notOffered(_ text: String, _ host: Host) -> SignOutReport.Step {
    host.log(.warning, text)
    return SignOutReport.Step(.notOffered, text)
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
    at provider: Provider, of client: Client, _ idToken: Secret?, _ host: Host
  ) throws(StrategyError) -> SignOutReport.Step {
    guard let page = provider.endSessionEndpoint else {
      return SignOutReport.Step(.notOffered, "The identity provider names no page that ends its own session.")
    }
    var parameters: [(name: String, value: Part)] = [("client_id", .text(client.id))]
    if let idToken { parameters.append(("id_token_hint", .secret(idToken))) }
    do throws(StrategyError) {
      if try host.open(page, parameters: parameters) { return SignOutReport.Step(.reached) }
    } catch { guard error.reason == .interactionNeeded else { throw error } }
    return SignOutReport.Step(.skipped, "No browser was opened for the identity provider's page.")
  }
}
