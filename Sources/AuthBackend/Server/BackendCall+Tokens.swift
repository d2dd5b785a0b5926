internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import JOSE
internal import MFSResourceServer
internal import OAuthHTTP

extension BackendCall {
  /// `POST /oauth/revoke` (RFC 7009): a refresh token ends its family, an access token is denied until it is over. What is unknown
  /// is revoked as it is (2.2). The hint is not needed: the two look different.
  func revoke() throws -> ServerResponse {
    try limitCalls(.revoke)
    let form = try form()
    let client = try client(form)
    guard let text = form.text("token") else { throw OAuthError.invalidRequest("token is missing") }
    let done = ServerResponse(status: 200, headers: ["Cache-Control": "no-store"])
    if let token = RefreshToken(text) {
      let presented = try backend.peppers.hashes(token, now: now)
      guard let family = try store.family(handle: token.handle, presented: presented) else { return done }
      guard isSame(family.client, client.id) else {
        report("revoke.refused", ["sid": family.id, "client": client.id, "address": address])
        throw OAuthError.invalidGrant("the token is another client's")
      }
      try end(.id(family.id), .revoked)
      return done
    }
    guard let token = try accessToken(text, audience: client.audience) else { return done }
    guard isSame(token.clientID, client.id) else { throw OAuthError.invalidGrant("the token is another client's") }
    try store.deny(token.id, until: token.expires.advanced(by: settings.leewaySeconds))
    report("access-token.denied", ["jti": token.id, "client": client.id])
    return done
  }

  /// `POST /oauth/logout` with a bearer token: ends the family that it belongs to, with `all=true` every one of the user. The latter is
  /// for clients of our own: whoever signs in to somebody else's app gives it no say about the others.
  func logOut() throws -> ServerResponse {
    try limitCalls(.logout)
    let token = try bearer()
    guard let session = token.claims["sid"]?.string else { throw unauthorized("the token belongs to no sign-in") }
    let isForAll = request.body.count > 0 ? try form().text("all") == "true" : false
    guard try !isForAll || store.client(token.clientID)?.isFirstParty == true else {
      report("logout.refused", ["user": token.subject, "client": token.clientID, "address": address])
      throw OAuthError("unauthorized_client", "this client may end its own sign-in only", status: 403)
    }
    // First what could sign in again.
    if isForAll { try store.endBrowserSessions(id: nil, user: token.subject) }
    try end(isForAll ? .user(token.subject) : .id(session), .logout)
    return ServerResponse(status: 204, headers: ["Cache-Control": "no-store"])
  }

  /// `/oauth/userinfo` (OpenID Connect Core 5.3).
  func userInfo() throws -> ServerResponse {
    try limitCalls(.userInfo)
    let token = try bearer()
    guard token.scopes.contains("openid") else {
      throw OAuthError(
        "insufficient_scope", "the token has no scope openid", status: 403,
        challenge: #"Bearer error="insufficient_scope", scope="openid""#)
    }
    guard let user = try store.user(id: token.subject), !user.isDisabled else { throw unauthorized("the user is gone") }
    return json(
      .object([.init("sub", .string(user.id))] + ProfileClaims.granted(user.claims, scopes: token.scopes)))
  }

  /// Whether a user is there and not disabled.
  func isOpen(_ user: String) throws(Failure) -> Bool { try store.user(id: user)?.isDisabled == false }

  /// When the last access token that was issued until now is over, for every verifier.
  var denyUntil: Timestamp { now.advanced(by: settings.accessTokenSeconds + settings.leewaySeconds) }

  /// Ends families, denies their access tokens until the last is over, and says so.
  @discardableResult
  func end(_ which: FamilySelection, _ reason: Family.End) throws(Failure) -> [Family] {
    let ended = try store.end(which, reason, now: now, denyUntil: denyUntil) { [self] in entries($0, reason) }
    tell(entries(ended, reason))
    return ended
  }

  /// The access token of the request (RFC 6750 2.1), for the audience of the client that it was issued to. Throws a 401 with its challenge.
  private func bearer() throws -> AccessToken {
    guard let field = request.headers.first("Authorization") else {
      throw OAuthError(
        "invalid_request", "an access token is needed: Authorization: Bearer", status: 401,
        challenge: #"Bearer realm="oauth""#)
    }
    let parts = field.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw unauthorized("the field has no bearer token")
    }
    let text = String(parts[1])
    // Which client it names is believed once the signature is verified, with that client's audience.
    guard let claimed = UnverifiedToken(text)?.clientID, claimed.utf8.count <= BackendCall.idLimit,
      let client = try store.client(claimed), let token = try accessToken(text, audience: client.audience)
    else { throw unauthorized("the access token is not valid") }
    return token
  }

  private func unauthorized(_ text: String) -> OAuthError {
    OAuthError("invalid_token", text, status: 401, challenge: #"Bearer error="invalid_token""#)
  }

  /// An access token of ours that is good now; nil for any other. What is denied is asked of the store each time: a list that others
  /// keep for a while would let a token in that was revoked just now.
  func accessToken(_ text: String, audience: String) throws(Failure) -> AccessToken? {
    let verifier = ResourceVerifier(
      issuer: settings.issuer, audience: audience, keys: try backend.keys.jwks(now: now).keys, denials: nil,
      leeway: settings.leewaySeconds)
    guard let token = try? verifier.verify(authorization: "Bearer " + text, now: now) else { return nil }
    let ids = [token.id, token.claims["sid"]?.string].compactMap { $0 }
    return try store.isDenied(ids, now: now) ? nil : token
  }
}
