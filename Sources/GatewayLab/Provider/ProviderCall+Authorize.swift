internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

extension ProviderCall {
  static let scopes = ["openid", "profile", "email", "offline_access"]
  static let prompts = ["none", "login", "consent", "select_account"]

  /// The authorization endpoint: a person signs in, and the client gets its answer at the redirect.
  mutating func authorize() throws(OAuthError) -> ServerResponse {
    let query = request.target.query
    if request.method == "POST", query.isEmpty {
      // OpenID Connect Core 3.1.2.1 allows the request in a form; from here on it stands in the address.
      let items = try formFields(request).publicItems.filter { $0.name != "username" && $0.name != "action" }
      return redirected(to: ProviderEndpoint.authorize.path + "?" + queryText(items))
    }
    // Until both are known to be right nobody is sent anywhere (RFC 6749 4.1.2.1).
    let clients = query.filter { $0.name == "client_id" }, redirects = query.filter { $0.name == "redirect_uri" }
    guard clients.count == 1, isSame(clients[0].value, options.clientID) else {
      outcome = "unauthorized_client"
      return page(.problem("This app is not known here", "The client_id is not registered."), status: 400)
    }
    let isGateways = redirects.count == 1 && isGatewayCallback(redirects[0].value)
    guard redirects.count == 1,
      isGateways || RedirectRule.allows(redirects[0].value, registered: options.redirects)
    else {
      outcome = "invalid_redirect"
      return page(.problem("This app's address is not known here", "The redirect_uri is not registered."), status: 400)
    }
    let target = AuthorizationAnswer(query, redirect: redirects[0].value)
    do throws(OAuthError) {
      // The gateway is no public client: it has a secret for its back channel, and uses no PKCE.
      let asked = try AuthorizationRequest(query, requiresPKCE: options.requiresPKCE && !isGateways)
      return try decide(asked, target, isGateways: isGateways)
    } catch {
      return refuse(target, error)
    }
  }

  private func isGatewayCallback(_ redirect: String) -> Bool {
    if let registered = provider.gatewayCallback, isSame(redirect, registered) { return true }
    let prefix = provider.gatewayOrigin + "/", suffix = "/_oidc_callback"
    guard redirect.hasPrefix(prefix), redirect.hasSuffix(suffix) else { return false }
    let database = redirect.dropFirst(prefix.count).dropLast(suffix.count)
    return !database.isEmpty && database.utf8.allSatisfy { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
  }

  private mutating func decide(
    _ asked: AuthorizationRequest, _ target: AuthorizationAnswer, isGateways: Bool
  ) throws(OAuthError) -> ServerResponse {
    let hinted = try asked.idTokenHint.map { (token) throws(OAuthError) in
      guard let user = provider.subject(ofHint: token) else {
        throw .invalidRequest("the id_token_hint is none of ours")
      }
      return user
    }
    if request.method == "POST" { return try signedIn(asked, target, hinted, isGateways) }
    let now = now
    let isFresh = { (login: ProviderState.Login) in
      asked.maximumAge.map { now <= login.authenticated.advanced(by: $0) } ?? true
    }
    if !asked.prompts.contains("login"), !asked.prompts.contains("select_account"), let login, isFresh(login),
      hinted.map({ isSame($0, login.user) }) ?? true
    {
      return try grant(asked, target, login, isGateways: isGateways)
    }
    if asked.prompts.contains("none") { throw OAuthError("login_required", "somebody has to sign in") }
    outcome = "form"
    return page(.login(address: request.target.raw, user: hinted ?? asked.hint, problem: nil), status: 200)
  }

  // What the form sent.
  private mutating func signedIn(
    _ asked: AuthorizationRequest, _ target: AuthorizationAnswer, _ hinted: String?, _ isGateways: Bool
  ) throws(OAuthError) -> ServerResponse {
    guard isFromOwnPage else {
      outcome = "foreign_form"
      return page(.problem("This form is not ours", "It was sent by another site's page."), status: 403)
    }
    let form = try formFields(request)
    if form.text("action") == "cancel" { throw OAuthError("access_denied", "the person said no") }
    guard let user = form.text("username"), let password = form.secret("password"), provider.verify(user, password)
    else {
      outcome = "wrong_password"
      return page(
        .login(
          address: request.target.raw, user: form.text("username"),
          problem: "The user name or the password is wrong."), status: 403)
    }
    if let hinted, !isSame(hinted, user) { throw OAuthError("login_required", "another user was to sign in") }
    let made = try signIn(user)
    var response = try grant(asked, target, made.login, isGateways: isGateways)
    response.headers.add("Set-Cookie", made.cookie)
    return response
  }

  private mutating func grant(
    _ asked: AuthorizationRequest, _ target: AuthorizationAnswer, _ login: ProviderState.Login, isGateways: Bool
  ) throws(OAuthError) -> ServerResponse {
    let family = provider.state.withLock {
      $0.begin(
        .init(user: login.user, scopes: asked.scopes, authenticated: login.authenticated, isGateways: isGateways))
    }
    guard asked.type == .code else {
      let issued = try provider.issue(
        family, nonce: asked.nonce, at: .authorize, hasAccessToken: asked.type == .idTokenToken, hasRefreshToken: false)
      return send(target, issued.parameters, "id_token")
    }
    let secret = try provider.makeSecret()
    let code = ProviderState.Code(
      family: family, redirect: target.redirect, challenge: asked.challenge, nonce: asked.nonce,
      expires: now.advanced(by: options.codeLifetime), isGateways: isGateways)
    let now = now
    provider.state.withLock { state in
      state.tidy(now: now)
      state.codes[secret.digest] = code
    }
    return send(target, [("code", secret.text)], "code")
  }

  private mutating func refuse(_ target: AuthorizationAnswer, _ error: OAuthError) -> ServerResponse {
    send(target, [("error", error.code), ("error_description", error.text)], error.code)
  }

  private mutating func send(
    _ target: AuthorizationAnswer, _ parameters: [(name: String, value: String)], _ outcome: String
  ) -> ServerResponse {
    let fault = provider.nextFault(.authorization, at: .authorize)
    self.outcome = fault?.kind.rawValue ?? outcome
    return redirected(to: target.address(parameters, issuer: options.namesIssuer ? issuer : nil, fault))
  }

  /// Sends a browser on, without telling where it comes from.
  func redirected(to address: String) -> ServerResponse {
    ServerResponse(
      status: request.method == "POST" ? 303 : 302,
      headers: ["Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
  }
}
