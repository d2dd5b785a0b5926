internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import JOSE

extension BackendCall {
  /// What the server can do (RFC 8414, OpenID Connect Discovery 3); one document for both addresses.
  func metadata() throws(Failure) -> ServerResponse {
    // All that tokens are signed by while one follows the other, besides what is set.
    let published = try backend.keys.jwks(now: now).keys.keys.compactMap(\.algorithm)
    let algorithms = Set(published + [backend.keys.settings.algorithm.rawValue]).sorted()
    func address(_ endpoint: Endpoint) -> JSONValue { .string(settings.issuer + endpoint.rawValue) }
    func list(_ texts: String...) -> JSONValue { .array(texts.map { .string($0) }) }
    let methods = list("none")
    let document: JSONValue = .object([
      .init("issuer", .string(settings.issuer)), .init("authorization_endpoint", address(.authorize)),
      .init("token_endpoint", address(.token)), .init("jwks_uri", address(.keys)),
      .init("userinfo_endpoint", address(.userInfo)), .init("revocation_endpoint", address(.revoke)),
      .init("introspection_endpoint", address(.introspect)), .init("end_session_endpoint", address(.endSession)),
      .init("device_authorization_endpoint", address(.deviceAuthorization)),
      .init("attestation_challenge_endpoint", address(.attestationChallenge)),
      .init("response_types_supported", list("code")), .init("response_modes_supported", list("query")),
      .init("grant_types_supported", .array(Grant.allCases.map { .string($0.rawValue) })),
      .init("code_challenge_methods_supported", list("S256")),
      .init("token_endpoint_auth_methods_supported", methods),
      .init("revocation_endpoint_auth_methods_supported", methods),
      .init("introspection_endpoint_auth_methods_supported", list("client_secret_basic", "client_secret_post")),
      .init("authorization_response_iss_parameter_supported", .bool(true)),
      .init("subject_types_supported", list("public")),
      .init("id_token_signing_alg_values_supported", .strings(algorithms)),
      .init("scopes_supported", list("openid", "profile", "email", "phone", "address", "offline_access")),
      .init(
        "claims_supported",
        .array(
          (["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"]
            + ProfileClaims.byScope.flatMap(\.claims)).map { .string($0) })),
      .init("prompt_values_supported", list("none", "login", "consent", "select_account")),
      .init("request_parameter_supported", .bool(false)), .init("request_uri_parameter_supported", .bool(false)),
      .init("claims_parameter_supported", .bool(false)),
    ])
    return ServerResponse(
      status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "public, max-age=300"],
      text: document.text)
  }

  /// The keys that tokens are verified with (RFC 7517). Clients may keep them as long as a new key is published before its first use.
  func publicKeys() throws(Failure) -> ServerResponse {
    let published = try backend.keys.jwks(now: now)
    return ServerResponse(
      status: 200,
      headers: [
        "Content-Type": "application/json", "Cache-Control": "public, max-age=\(published.maxAgeSeconds)",
        "Access-Control-Allow-Origin": "*",
      ], text: published.json)
  }

  /// Whether requests can be served: the store can be written and a key can sign.
  func readiness() -> ServerResponse {
    let isReady = backend.readinessCheck.isReady { () throws(Failure) in
      do throws(Failure) {
        try store.probe()
        _ = try backend.keys.signingKey(now: now)
      } catch {
        reportFailure(error)
        throw error
      }
    }
    guard !isReady else { return .plain("ready\n", status: 200, headers: ["Cache-Control": "no-store"]) }
    return .plain("not ready\n", status: 503, headers: ["Cache-Control": "no-store", "Retry-After": "5"])
  }
}
