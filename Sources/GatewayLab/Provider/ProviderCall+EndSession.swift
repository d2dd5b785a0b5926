internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import Synchronization

extension ProviderCall {
  /// RP-Initiated Logout 1.0: ends the browser's sign-in. Without a hint that says whose it is, the person is asked first.
  mutating func endSession() throws(OAuthError) -> ServerResponse {
    let form = request.method == "POST" ? try formFields(request) : nil
    try form?.checkOnce()
    let target = request.target
    func value(_ name: String) -> String? {
      // A confirmed form has the request in its address.
      form?.text(name) ?? target.queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    let hinted = value("id_token_hint").map { provider.subject(ofHint: $0) }
    if let hinted, hinted == nil { return refuse("invalid_hint", "The id_token_hint is none of ours.") }
    if let client = value("client_id"), !isSame(client, options.clientID) {
      return refuse("unauthorized_client", "The client_id is not registered.")
    }
    let redirect = value("post_logout_redirect_uri")
    if let redirect {
      guard hinted != nil || value("client_id") != nil,
        RedirectRule.allows(redirect, registered: options.postLogoutRedirects)
      else { return refuse("invalid_redirect", "The post_logout_redirect_uri is not registered.") }
    }
    let isConfirmed = form?.text("action") == "sign-out" && isFromOwnPage
    if let login, !isConfirmed, hinted.map({ $0.map { !isSame($0, login.user) } ?? true }) ?? true {
      outcome = "form"
      let items = form?.publicItems.filter { $0.name != "action" } ?? target.query.map { ($0.name, $0.value) }
      return page(
        .confirmLogout(address: target.path + (items.isEmpty ? "" : "?" + queryText(items)), user: login.user),
        status: 200)
    }
    if let digest = loginDigest { provider.state.withLock { $0.logins[digest] = nil } }
    outcome = "signed_out"
    var response: ServerResponse
    if let redirect {
      let state = value("state").map { (redirect.contains("?") ? "&" : "?") + queryText([("state", $0)]) } ?? ""
      response = redirected(to: redirect + state)
    } else {
      response = page(.note("You are signed out", "You can close this window."), status: 200)
    }
    response.headers.add("Set-Cookie", "\(ProviderCall.cookieName)=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    return response
  }

  private mutating func refuse(_ outcome: String, _ text: String) -> ServerResponse {
    self.outcome = outcome
    return page(.problem("You were not signed out", text), status: 400)
  }
}
