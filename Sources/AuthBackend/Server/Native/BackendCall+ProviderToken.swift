internal import BackendStore
internal import Basics
internal import JOSE
internal import OAuthHTTP
internal import SecureMemory

extension BackendCall {
  /// An ID token of a provider's for this client, verified whole (OpenID Connect Core 3.1.3.7), and what is to be spent for it. Throws
  /// `invalid_grant` for any other, `temporarily_unavailable` while the provider's keys cannot be had.
  func providerToken(
    _ form: FormFields, _ client: Client
  ) throws -> (token: IDToken, provider: IdentityProvider, proof: SpentOnce) {
    guard let text = form.text("subject_token"), let secret = form.secret("subject_token") else {
      throw OAuthError.invalidRequest("subject_token is missing")
    }
    guard let unverified = UnverifiedToken(text) else { throw refused("form", nil, client) }
    let source = backend.providers.first { source in
      source.provider.issuers.contains { isSame($0, unverified.issuer) }
    }
    guard let source else { throw refused("issuer", nil, client) }
    let name = source.provider.name
    let ids = (client.properties[source.provider.clientIDsProperty] ?? "").split { $0 == " " || $0 == "," }
      .map(String.init)
    guard let id = ids.first(where: { id in unverified.audiences.contains { isSame($0, id) } }) else {
      throw refused("audience", name, client)
    }
    guard let nonce = try expectedNonce(form, client, unverified) else { throw refused("nonce", name, client) }
    var validator = IDTokenValidator(
      issuer: unverified.issuer, clientID: id, trustedAudiences: ids, algorithms: [.rs256, .es256],
      leeway: settings.leewaySeconds)
    validator.trustedParties = ids
    // The provider may be slow to give its keys, and refreshes must not wait for that.
    let result = backend.exchanges.pass { () -> Result<IDToken, TokenRefusal> in
      Result { () throws(TokenRefusal) in
        try validator.validate(
          secret.bytes, expecting: IDTokenExpectation(.code, nonce: nonce), keys: source.cache, now: now)
      }
    }
    guard let result else { throw tryAgainLater("too many sign-ins wait for the provider; try again") }
    switch result {
    case .success(let token):
      let until = token.expires.advanced(by: settings.leewaySeconds + 1)
      return (token, source.provider, SpentOnce(digest: unverified.digest, until: until))
    case .failure(let refusal):
      guard refusal.reason != .keysUnavailable else {
        report("native.unavailable", ["provider": name, "detail": refusal.message], alert: true)
        throw tryAgainLater("the provider's keys cannot be had now; try again")
      }
      throw refused(refusal.reason.name, name, client)
    }
  }

  /// The nonce that the token must have: what the app sends here, or the SHA-256 of it in hexadecimal, which apps give to the provider so
  /// that who finds the token does not find the nonce. A client with `native-nonce: sha256` takes only the latter. Nil when there is none.
  private func expectedNonce(
    _ form: FormFields, _ client: Client, _ token: UnverifiedToken
  ) throws(Failure) -> SecureBox? {
    guard let nonce = form.text("nonce"), nonce.utf8.count <= 512 else { return nil }
    let hashed = Hexadecimal.encode(SHA256.hash(nonce))
    let mayBePlain = client.properties["native-nonce"] != "sha256"
    let isPlain = mayBePlain && token.nonce.map { isSame($0, nonce) } ?? false
    return SecureBox(try SecureBytes(publicText: isPlain ? nonce : hashed))
  }

  func refused(_ reason: String, _ provider: String?, _ client: Client, alert: Bool = false) -> OAuthError {
    report(
      "native.refused", ["reason": reason, "provider": provider, "client": client.id, "address": address], alert: alert)
    return .invalidGrant("the ID token is not valid here; sign in again")
  }

  private func tryAgainLater(_ text: String) -> OAuthError {
    var error = OAuthError("temporarily_unavailable", text, status: 503)
    error.retryAfter = 10
    return error
  }
}
