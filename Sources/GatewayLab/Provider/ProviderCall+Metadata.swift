internal import Basics
internal import HTTPServer
internal import JOSE
internal import Synchronization

extension ProviderCall {
  /// OpenID Connect Discovery 1.0 3, with the names of RFC 8414, RFC 8628 and RFC 9207.
  func metadata() -> ServerResponse {
    let fault = provider.nextFault(.metadata, at: .discovery)
    let base = fault?.kind == .foreignIssuer ? fault?.location ?? issuer : issuer
    var members: [JSONValue.Member] = [.init("issuer", .string(base))]
    func add(_ name: String, _ endpoint: ProviderEndpoint) {
      guard !options.absent.contains(endpoint) else { return }
      let isElsewhere = fault?.kind == .httpEndpoint && endpoint == .token
      members.append(.init(name, .string((isElsewhere ? fault?.location ?? issuer : base) + endpoint.path)))
    }
    add("authorization_endpoint", .authorize)
    add("token_endpoint", .token)
    add("jwks_uri", .jwks)
    add("userinfo_endpoint", .userinfo)
    add("revocation_endpoint", .revoke)
    add("introspection_endpoint", .introspect)
    add("device_authorization_endpoint", .deviceAuthorization)
    add("end_session_endpoint", .endSession)
    var grants = ["authorization_code", "implicit"]
    if options.refreshTokens != .never { grants.append("refresh_token") }
    if !options.absent.contains(.deviceAuthorization) { grants.append(ProviderCall.deviceGrant) }
    members += [
      .init("scopes_supported", .strings(ProviderCall.scopes)),
      .init("response_types_supported", .strings(["code", "id_token", "id_token token"])),
      .init("response_modes_supported", .strings(["query", "fragment"])),
      .init("grant_types_supported", .strings(grants)), .init("subject_types_supported", .strings(["public"])),
      .init("id_token_signing_alg_values_supported", .strings([options.algorithm.rawValue])),
      .init("token_endpoint_auth_methods_supported", .strings(["none"])),
      .init("revocation_endpoint_auth_methods_supported", .strings(["none"])),
      .init("code_challenge_methods_supported", .strings(["S256"])),
      .init("prompt_values_supported", .strings(ProviderCall.prompts)),
      .init(
        "claims_supported",
        .strings([
          "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "azp", "preferred_username", "email",
          "employeeId",
        ])),
      .init("authorization_response_iss_parameter_supported", .bool(options.namesIssuer)),
      .init("claims_parameter_supported", false), .init("request_parameter_supported", false),
      .init("request_uri_parameter_supported", false),
    ]
    return document(.object(members), type: "application/json")
  }

  /// The key document (RFC 7517 5).
  func keys() -> ServerResponse { document(provider.keyDocument(), type: "application/jwk-set+json") }

  // What is public may be kept, but not for long: keys change here.
  private func document(_ value: JSONValue, type: String) -> ServerResponse {
    ServerResponse(
      status: 200, headers: ["Content-Type": type, "Cache-Control": "public, max-age=300"],
      text: request.method == "HEAD" ? "" : value.text)
  }
}

extension IdentityProvider {
  /// The key document, without the newest key when a fault says so.
  func keyDocument() -> JSONValue {
    let isStale = nextFault(.keys, at: .jwks) != nil
    // Another algorithm than before has a new key, which must be published before it signs.
    _ = try? signingKey()
    let keys = publicKeys
    return JSONWebKeySet(isStale ? Array(keys.dropFirst()) : keys).json
  }

  /// The key document as the gateway fetches it, without a socket. Throws ``FailureCode/network`` when what goes wrong at the
  /// endpoint would keep it from the gateway.
  func fetchKeys() throws(Failure) -> JSONWebKeySet {
    try checkBackChannel(.jwks)
    return try JSONWebKeySet(json: Array(keyDocument().text.utf8))
  }

  /// What a request of the gateway's own meets: any fault that is no right answer fails it. A late one is right.
  func checkBackChannel(_ endpoint: ProviderEndpoint) throws(Failure) {
    guard !options.absent.contains(endpoint) else { throw Failure(.network, "\(endpoint.path) answered 404") }
    guard let fault = nextFault(.request, at: endpoint), fault.kind != .slow else { return }
    throw Failure(.network, "\(endpoint.path): \(fault.kind.summary)")
  }
}
