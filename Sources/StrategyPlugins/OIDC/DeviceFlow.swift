internal import Basics
internal import StrategyKit

/// The device authorization grant (RFC 8628): a person signs in on another device with a code that is shown here.
enum DeviceFlow {
  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

  /// The tokens; nil, once the person was told why, when the provider gives this client no such code.
  static func tokens(_ client: Client, at provider: Provider, _ host: Host) throws(StrategyError) -> Tokens? {
    guard let endpoint = provider.deviceAuthorizationEndpoint else {
      throw StrategyError(.refused, "The identity provider has no device flow.")
    }
    let request: [(name: String, value: Part)] = [("client_id", .text(client.id)), ("scope", .text(client.scopes))]
    let response = try host.post(request + (try host.deviceField), to: endpoint)
    guard response.status == 200 else {
      let refusal = try StrategyError.endpoint(response, rejects: .refused, grant: grant, host)
      guard refusal.isOfGrant else { throw refusal }
      try host.show(
        "Asking in the browser's page instead: the identity provider gives this client no code for another device "
          + "(\(refusal.code ?? "no grant")).")
      return nil
    }
    guard let body = JSON(response.body), let deviceCode = body["device_code"]?.text,
      let userCode = body["user_code"]?.text, let page = body["verification_uri"]?.text,
      // RFC 8628 3.2; a provider that forgets it gets the longest that is usual.
      let lifetime = Optional(body["expires_in"]?.integer ?? 1_800), lifetime > 0
    else { throw StrategyError(.protocolViolation, "The identity provider's answer has no code for another device.") }
    try host.show(
      "Sign in at \(OutsideText.clean(page, limit: 300)) on any device, with the code \(OutsideText.clean(userCode, limit: 40))."
    )
    let code = try host.makeSecret(deviceCode.utf8)
    return try poll(
      code, interval: Int(clamping: body["interval"]?.integer ?? 5), lifetime: lifetime, client, provider, host)
  }

  // RFC 8628 3.4 and 3.5.
  private static func poll(
    _ code: Secret, interval: Int, lifetime: Int64, _ client: Client, _ provider: Provider, _ host: Host
  ) throws(StrategyError) -> Tokens {
    let lifetime = min(lifetime, 3_600)
    // However short the provider's interval is, no more than 200 questions are asked: a run may make only so many requests.
    var interval = min(max(interval, 1, Int(lifetime) / 200), 120)
    let end = try host.now().seconds + lifetime
    while try host.now().seconds < end {
      try host.wait(seconds: interval)
      do throws(StrategyError) {
        return try Tokens(
          [("grant_type", .text(grant)), ("device_code", .secret(code))],
          at: provider, of: client, rejects: .refused, host)
      } catch {
        switch error.code {
        case "authorization_pending": continue
        case "access_denied": throw .authorization("access_denied", nil)
        case "expired_token": throw tooLate
        case "slow_down": interval = min(interval + 5, 120)
        // A connection that breaks is no answer; the next try comes later.
        case nil where error.reason == .network || error.reason == .server: interval = min(interval * 2, 120)
        default: throw error
        }
      }
    }
    throw tooLate
  }

  private static let tooLate = StrategyError(.interactionNeeded, "Nobody signed in with the code in time.")
}
