internal import Basics
internal import StrategyKit

extension Provider {
  /// Sends a person to the authorization endpoint and checks what comes back: an error, and whose answer it is (RFC 9207).
  /// Nil when `anywhere` is false and there is no browser to open.
  func authorize(
    _ client: Client, responseType: String, response: AuthorizationRequest.Response, nonce: String,
    extra: [(name: String, value: String)], anywhere: Bool, _ host: Host
  ) throws(StrategyError) -> AuthorizationResponse? {
    var parameters = [
      (name: "response_type", value: responseType), ("client_id", client.id), ("scope", client.scopes),
      ("nonce", nonce),
    ]
    // What the response type says already is said again only where it is not the default.
    if response == .fragment { parameters.append(("response_mode", "fragment")) }
    return try answer(
      to: AuthorizationRequest(
        authorizationEndpoint, parameters: parameters + extra, response: response, needsBrowser: !anywhere), host)
  }

  /// Sends a person to a page of the provider's with a request that is made, and checks what comes back in the same way.
  func answer(to request: AuthorizationRequest, _ host: Host) throws(StrategyError) -> AuthorizationResponse? {
    guard let answer = try host.authorize(request) else { return nil }
    try checkIssuer(answer)
    if let error = answer.text("error") { throw .authorization(error, answer.text("error_description")) }
    return answer
  }

  // RFC 9207 2.4: a missing one is taken only from a provider that does not promise it, another one never.
  private func checkIssuer(_ answer: AuthorizationResponse) throws(StrategyError) {
    let given = answer.parameters.filter { $0.name == "iss" }
    if given.isEmpty, !namesIssuer { return }
    guard given.count == 1, let issuer = answer.text("iss"), issuer.utf8.elementsEqual(self.issuer.utf8) else {
      throw StrategyError(
        .refused, "The answer to the sign-in is not from the identity provider that was asked; nothing was sent to it.")
    }
  }
}

extension Host {
  /// 128 random bits as 32 hexadecimal digits.
  func randomText() throws(StrategyError) -> String {
    Hexadecimal.encode(try random(16))
  }
}
