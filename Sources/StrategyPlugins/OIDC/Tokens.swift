internal import Basics
internal import StrategyKit

/// What a token endpoint issued (RFC 6749 5.1, OpenID Connect Core 3.1.3.3).
struct Tokens {
  let idToken: Secret?
  let accessToken: Secret?
  let refreshToken: Secret?

  /// Sends a grant to the token endpoint, as the public client. `rejects` says what a rejected grant means.
  init(
    _ grant: [(name: String, value: Part)], at provider: Provider, of client: Client,
    rejects reason: StrategyError.Reason, _ host: Host
  ) throws(StrategyError) {
    guard let endpoint = provider.tokenEndpoint else {
      throw StrategyError(.refused, "The identity provider has no token endpoint: choose another strategy.")
    }
    let response = try host.post(
      grant + [("client_id", .text(client.id))] + (try host.deviceField), to: endpoint)
    guard response.status == 200 else {
      throw try .endpoint(response, rejects: reason, grant: Tokens.kind(of: grant), host)
    }
    guard let body = JSON(response.body), case .object = body else {
      throw StrategyError(
        .protocolViolation, "The identity provider's answer is not what a token endpoint answers.", status: 200)
    }
    if let type = body["token_type"]?.text, type.lowercased() != "bearer" {
      throw StrategyError(
        .refused,
        "The identity provider issues tokens of type '\(OutsideText.clean(type, limit: 40))', not bearer ones.")
    }
    idToken = try Tokens.secret(body["id_token"], host)
    accessToken = try Tokens.secret(body["access_token"], host)
    refreshToken = try Tokens.secret(body["refresh_token"], host)
  }

  private static func kind(of grant: [(name: String, value: Part)]) -> String? {
    for case ("grant_type", .text(let text)) in grant { return text }
    return nil
  }

  static func secret(_ value: JSON?, _ host: Host) throws(StrategyError) -> Secret? {
    guard let text = value?.text, !text.isEmpty else { return nil }
    guard text.utf8.count <= 65_536, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw StrategyError(.protocolViolation, "The identity provider issued something that is no token.")
    }
    return try host.makeSecret(text.utf8)
  }
}

extension Host {
  /// The `device_id` of this device build, as a field of a form. A provider that binds its tokens to a device wants it named each time;
  /// others ignore it (RFC 6749 3.2).
  var deviceField: [(name: String, value: Part)] {
    get throws(StrategyError) { try deviceIdentifier.map { [("device_id", .text($0))] } ?? [] }
  }

  /// The `device_id` of this device build; nil when it has none.
  var deviceIdentifier: String? {
    get throws(StrategyError) { try storedBytes("mfs.deviceId").map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Sends a form. There is no client authentication: what names the client is among the fields.
  func post(
    _ fields: [(name: String, value: Part)], to url: String, authorization: Secret? = nil
  ) throws(StrategyError) -> HTTPResponse {
    var headers: [(name: String, value: Part)] = [
      ("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
    ]
    if let authorization { headers.append(("Authorization", .secret(authorization))) }
    return try send(HTTPRequest("POST", url, headers: headers, body: .secret(try form(fields))))
  }
}
