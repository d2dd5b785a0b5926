internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// `/oauth/end_session` (OpenID Connect RP-Initiated Logout): at once with a good hint of this browser's sign-in, else after asking;
  /// then back to a registered address, else a page.
  func endSession() throws -> ServerResponse {
    let (parameters, form) = try browserRequest()
    // HEAD asks what there is; it never signs anybody out.
    guard request.method != "HEAD" else { return .nothingDone }
    let hint = try parameters["id_token_hint"].flatMap { try hinted($0) }
    let session = try browserSession()
    let here = settings.path + Endpoint.endSession.rawValue + "?" + queryText(parameters.items)
    let isAgreed =
      try form?.text("action") == "sign-out" && form.map { try isFromOwnPage($0, .signOut, here) } == true
    guard isAgreed || isOfThisBrowser(hint, session, client: parameters["client_id"]) else {
      return try confirmation(here)
    }
    if let session {
      try store.endBrowserSessions(id: session.id, user: nil)
      report("browser.signed-out", ["user": session.user])
    }
    let gone = Cookie.session.header("", seconds: 0, isSecure: settings.isSecure)
    guard let hint, let uri = parameters["post_logout_redirect_uri"],
      parameters["client_id"].map({ isSame($0, hint.client) }) ?? true, let client = try store.client(hint.client),
      (parameters["state"]?.utf8.count ?? 0) <= AuthorizationRequest.stateLimit,
      RedirectRule.allows(uri, registered: client.postLogoutRedirectURIs)
    else {
      var page = HTMLPage("Signed out", site: BackendCall.site)
      page.say("You are signed out in this browser.")
      var response = page.response(status: 200)
      response.headers.add("Set-Cookie", gone)
      return response
    }
    let location = BackendCall.address(uri, with: parameters["state"].map { [("state", $0)] } ?? [])
    return ServerResponse(
      status: 303, headers: ["Location": location, "Cache-Control": "no-store", "Set-Cookie": gone])
  }

  /// Whether an ID token came from the sign-in that this browser's session is, and belongs to the client that asks. Any other, such as
  /// that of another device of the user's, may have been got by whoever made up the link.
  private func isOfThisBrowser(_ hint: IDTokenHint?, _ session: BrowserSession?, client: String?) -> Bool {
    guard let hint, client.map({ isSame($0, hint.client) }) ?? true else { return false }
    guard let session else { return true }
    return isSame(session.user, hint.subject) && session.authTime.seconds == hint.authTime
  }

  private func confirmation(_ here: String) throws(Failure) -> ServerResponse {
    var page = HTMLPage("Sign out?", site: BackendCall.site)
    page.say("Sign out of \(BackendCall.site) in this browser?")
    return try withToken(page, 200, .signOut, here) { page, token in
      page.form(here, hidden: [("csrf", token)], buttons: [.init("sign-out", "Sign out")])
    }
  }
}
