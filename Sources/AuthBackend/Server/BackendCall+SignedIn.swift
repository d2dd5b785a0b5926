internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// A page for who is signed in in this browser; everybody else signs in on it first and then gets it. `body` is given the form that
  /// was posted, nil when the page is asked for.
  func onPage(
    _ place: SignInPlace, _ body: (BrowserSession, FormFields?) throws -> ServerResponse
  ) throws -> ServerResponse {
    let form = request.method == "POST" ? try form() : nil
    switch form?.text("action") {
    case "sign-in":
      guard let form, try isFromOwnPage(form, .signIn, place.here) else {
        return errorPage(403, "This cannot go on", "The form did not come from this server's page. Start again.")
      }
      switch try signIn(form, place) {
      case .page(let page): return page
      case .signedIn(_, let cookies): return redirectHere(place.here, cookies: cookies)
      }
    // Changes nothing, so it needs no token.
    case "cancel":
      var page = HTMLPage("Not signed in", site: BackendCall.site)
      page.say("Nothing was changed.")
      return page.response(status: 200)
    default: break
    }
    guard let session = try browserSession() else { return try signInPage(place) }
    return try body(session, form)
  }

  /// Has the browser ask for a page of ours anew, so that a reload of it posts nothing twice.
  func redirectHere(_ here: String, cookies: [String] = []) -> ServerResponse {
    var response = ServerResponse(
      status: 303, headers: ["Location": here, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    for cookie in cookies { response.headers.add("Set-Cookie", cookie) }
    return response
  }
}
