internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

extension ProviderCall {
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  /// The token endpoint (RFC 6749 3.2).
  mutating func token() throws(OAuthError) -> ServerResponse {
    let form = try clientForm()
    guard let grant = form.text("grant_type") else { throw .invalidRequest("there is no grant_type") }
    let issued: IssuedTokens
    switch grant {
    case "authorization_code":
      issued = try provider.exchange(
        code: try required("code", form), redirect: form.text("redirect_uri"), verifier: form.secret("code_verifier"),
        byGateway: false)
    case "refresh_token":
      let token = try required("refresh_token", form)
      do throws(OAuthError) { issued = try provider.refresh(token, scope: form.text("scope")) } catch {
        guard error.code == "invalid_grant", options.rejectsRefreshWithoutBody else { throw error }
        outcome = error.code
        return ServerResponse(status: error.status, headers: ["Cache-Control": "no-store", "Pragma": "no-cache"])
      }
    case ProviderCall.deviceGrant where !options.absent.contains(.deviceAuthorization):
      issued = try provider.exchange(deviceCode: try required("device_code", form))
    default: throw OAuthError("unsupported_grant_type", "this grant is not offered")
    }
    outcome = grant
    return json(issued.json)
  }

  private func required(_ name: String, _ form: FormFields) throws(OAuthError) -> SecureBox {
    guard let secret = form.secret(name) else { throw .invalidRequest("there is no \(name)") }
    return secret
  }

  /// Revocation (RFC 7009). A refresh token takes its whole sign-in with it; a token that is unknown is gone already.
  mutating func revoke() throws(OAuthError) -> ServerResponse {
    let form = try clientForm()
    let digest = provider.digest(try required("token", form))
    let revoked = provider.state.withLock { state -> String? in
      if let token = state.refreshTokens[digest] {
        if state.families[token.family].isGateways { return nil }
        state.end(token.family)
        return "refresh_token"
      }
      return state.accessTokens.removeValue(forKey: digest) == nil ? "unknown" : "access_token"
    }
    guard let revoked else { throw .anotherClients }
    outcome = revoked
    return ServerResponse(status: 200, headers: ["Cache-Control": "no-store"])
  }

  /// Introspection (RFC 7662) for whoever names the client: in this lab nobody has a secret to prove more with.
  mutating func introspect() throws(OAuthError) -> ServerResponse {
    let form = try clientForm()
    let digest = provider.digest(try required("token", form))
    let now = now
    let found = provider.state.withLock { state -> (family: ProviderState.Family, expires: Timestamp, kind: String)? in
      if let token = state.accessTokens[digest], let family = state.family(ofAccess: digest, now: now) {
        return (family, token.expires, "access_token")
      }
      guard let token = state.refreshTokens[digest], !token.isUsed, now < token.expires,
        state.families[token.family].isAlive
      else { return nil }
      return (state.families[token.family], token.expires, "refresh_token")
    }
    guard let found else {
      outcome = "inactive"
      return json(["active": false])
    }
    outcome = found.kind
    return json([
      "active": true, "iss": .string(issuer), "sub": .string(found.family.user), "username": .string(found.family.user),
      "client_id": .string(options.clientID), "scope": .string(found.family.scopes.joined(separator: " ")),
      "exp": .integer(found.expires.seconds), "token_type": found.kind == "access_token" ? "Bearer" : "refresh_token",
    ])
  }

  /// Claims about the user (OpenID Connect Core 5.3), for an access token in the header (RFC 6750 2.1).
  mutating func userInfo() throws(OAuthError) -> ServerResponse {
    let field = request.headers.first("Authorization") ?? ""
    let word = field.prefix(7)
    guard word.lowercased() == "bearer ", let token = try? SecureBytes(publicText: String(field.dropFirst(7))) else {
      throw OAuthError("missing_token", "there is no access token", status: 401, challenge: "Bearer")
    }
    let digest = SecretDigest(token, key: provider.digestKey)
    let now = now
    guard let family = provider.state.withLock({ $0.family(ofAccess: digest, now: now) }) else {
      throw OAuthError(
        "invalid_token", "the access token is none, has expired or was revoked", status: 401,
        challenge: #"Bearer error="invalid_token""#)
    }
    guard family.scopes.contains("openid") else {
      throw OAuthError(
        "insufficient_scope", "the scope openid was not granted", status: 403,
        challenge: #"Bearer error="insufficient_scope", scope="openid""#)
    }
    return json(.object([.init("sub", .string(family.user))] + UserClaims.of(family, options)))
  }
}
