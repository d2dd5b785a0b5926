internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

// The gateway as a client of the identity provider, by the names and texts of Sync Gateway.
extension GatewayCall {
  private static let stateCookie = "sg-oidc-state"

  /// The user whom an ID token names. Every failure looks the same, also one that is not the user's fault.
  func openIDUser(_ party: RelyingParty, _ token: String) throws(GatewayError) -> (name: String, expires: Timestamp) {
    guard !options.openID.isUnreachable, let identity = party.validate(token, now: now),
      let name = party.userName(identity, options.openID)
    else { throw .invalidLogin }
    if gateway.state.withLock({ $0.users[name] != nil }) { return (name, identity.expires) }
    guard options.openID.register, let password = try? Gateway.randomPassword(),
      (try? gateway.addUser(name, password: password)) != nil
    else { throw .invalidLogin }
    return (name, identity.expires)
  }

  /// `_oidc`, `_oidc_challenge`, `_oidc_callback` and `_oidc_refresh`.
  mutating func openID(_ database: String) throws(GatewayError) -> ServerResponse {
    _ = try enter(database, .open)
    let named = query("provider") ?? options.openID.providerName
    guard let party = relyingParty, let provider = party.provider, isSame(named, options.openID.providerName) else {
      throw GatewayError(400, "OpenID Connect not configured for database \(database)")
    }
    switch request.target.segments.last {
    case "_oidc_callback": return try callBack(party, provider, database)
    case "_oidc_refresh": return try refresh(party, provider)
    case let way:
      let address = try begin(party, provider, database)
      if way == "_oidc" {
        headers.add("Location", address)
        return ServerResponse(status: 302, headers: headers)
      }
      headers.add("WWW-Authenticate", "OIDC login=\"\(address)\"")
      throw .loginRequired
    }
  }

  private func query(_ name: String) -> String? {
    request.target.queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func callbackAddress(_ database: String) -> String {
    options.openID.callbackURL ?? "http://\(request.headers.first("Host") ?? "")/\(database)/_oidc_callback"
  }

  // Without PKCE and without a nonce, as the real one.
  private mutating func begin(
    _ party: RelyingParty, _ provider: IdentityProvider, _ database: String
  ) throws(GatewayError) -> String {
    do throws(Failure) {
      if options.openID.isUnreachable { throw Failure(.network, "unreachable") }
      try party.discover()
    } catch {
      throw GatewayError(500, "Unable to obtain client for provider: \(options.openID.providerName) - \(error.message)")
    }
    let isOffline = query("offline") == "true"
    var items: [(name: String, value: String)] = isOffline ? [("access_type", "offline")] : []
    items.append(("client_id", provider.clientID))
    if isOffline { items.append(("prompt", "consent")) }
    items += [
      ("redirect_uri", callbackAddress(database)), ("response_type", "code"), ("scope", "openid email"),
    ]
    if options.openID.hasCallbackState {
      let state = Hexadecimal.encode(randomBytes(20))
      items.append(("state", state))
      headers.add("Set-Cookie", "\(GatewayCall.stateCookie)=\(state); Path=\(cookiePath); Max-Age=300; HttpOnly")
    }
    return provider.issuer + ProviderEndpoint.authorize.path + "?" + queryText(items)
  }

  private mutating func callBack(
    _ party: RelyingParty, _ provider: IdentityProvider, _ database: String
  ) throws(GatewayError) -> ServerResponse {
    if let error = query("error") {
      throw GatewayError(401, "oidc callback received an error: \(OutsideText.clean(error, limit: 80))")
    }
    guard let code = query("code") else { throw GatewayError(400, "Code must be present on oidc callback") }
    if options.openID.hasCallbackState {
      guard let kept = RequestCookies(request).first(GatewayCall.stateCookie) else {
        throw GatewayError(
          400,
          "OIDC Auth Failure: No state cookie found, client needs to support cookies when OIDC callback state is enabled"
        )
      }
      guard let state = query("state"), isSame(state, kept) else {
        throw GatewayError(400, "OIDC Auth Failure: State mismatch")
      }
      headers.add("Set-Cookie", "\(GatewayCall.stateCookie)=; Path=\(cookiePath); Max-Age=0; HttpOnly")
    }
    let issued: IssuedTokens
    do {
      try reach(party, provider)
      issued = try provider.exchange(
        code: SecureBox(try SecureBytes(publicText: code)), redirect: callbackAddress(database), verifier: nil,
        byGateway: true)
    } catch {
      let reason = (error as? OAuthError)?.code ?? (error as? Failure)?.message ?? "unknown"
      throw GatewayError(500, "Failed to exchange token: \(reason)")
    }
    guard issued.idToken != nil else { throw GatewayError(500, "No id_token found in token response") }
    return try answer(party, issued, refreshToken: issued.refreshToken, isCallback: true)
  }

  // Whatever goes wrong looks the same, also a token that is dead for good.
  private mutating func refresh(
    _ party: RelyingParty, _ provider: IdentityProvider
  ) throws(GatewayError) -> ServerResponse {
    guard let token = query("refresh_token") else {
      throw GatewayError(400, "Refresh token must be present for oidc refresh")
    }
    let issued: IssuedTokens
    do {
      try reach(party, provider)
      issued = try provider.refresh(SecureBox(try SecureBytes(publicText: token)), scope: nil, byGateway: true)
    } catch { throw GatewayError(500, "Unable to refresh token.") }
    guard issued.idToken != nil else { throw GatewayError(500, "Unable to refresh token.") }
    return try answer(party, issued, refreshToken: nil, isCallback: false)
  }

  private func reach(_ party: RelyingParty, _ provider: IdentityProvider) throws(Failure) {
    if options.openID.isUnreachable { throw Failure(.network, "the provider cannot be reached") }
    try party.discover()
    try provider.checkBackChannel(.token)
  }

  // The session lives as long as the ID token, unlike one that `_session` makes. Empty fields are left out.
  private mutating func answer(
    _ party: RelyingParty, _ issued: IssuedTokens, refreshToken: String?, isCallback: Bool
  ) throws(GatewayError) -> ServerResponse {
    let idToken = issued.idToken ?? ""
    let user = try openIDUser(party, idToken)
    var members = ["\"id_token\":\(quotedAsGo(idToken))"]
    if let refreshToken { members.append("\"refresh_token\":\(quotedAsGo(refreshToken))") }
    if options.openID.makesSession {
      let left = user.expires.seconds - now.seconds
      let session = try makeSession(for: .user(user.name), ttl: left)
      headers.add("Set-Cookie", cookie(session.id, expires: session.expires))
      members.append("\"session_id\":\"\(session.id)\"")
    }
    members.append("\"name\":\(quotedAsGo(user.name))")
    if isCallback, options.openID.includesAccessToken, let access = issued.accessToken {
      members.append(
        "\"access_token\":\(quotedAsGo(access)),\"token_type\":\"Bearer\",\"expires_in\":\(issued.expiresIn)")
    }
    return try json("{" + members.joined(separator: ",") + "}")
  }
}
