internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// What a form of our own pages has beside the request's parameters.
  private static let ownFields: Set<String> = ["username", "password", "action", "csrf"]

  /// The parameters of a request from a browser, and the form of a page of ours where it is one. Such a form has the request in the
  /// address and what was typed in the body; a client's form has all in the body.
  func browserRequest() throws(OAuthError) -> (parameters: Parameters, form: FormFields?) {
    let posted = request.method == "POST" ? try form() : nil
    guard let form = posted, form.text("action") == nil else {
      return (Parameters(items: request.target.query.map { (name: $0.name, value: $0.value) }), posted)
    }
    return (Parameters(items: form.publicItems.filter { !BackendCall.ownFields.contains($0.name) }), nil)
  }

  /// `GET` and `POST /authorize`: straight on where the person is signed in and it is sure which app asks, otherwise a page.
  func authorize() throws -> ServerResponse {
    let (parameters, form) = try browserRequest()
    let known = try limitAuthorization(parameters["client_id"])
    let destination: (client: Client, redirectURI: String)
    do {
      destination = try AuthorizationRequest.destination(parameters) { try store.client($0) }
    } catch let error as OAuthError {
      report(
        "authorize.refused",
        [
          "reason": error.code, "client": known,
          "redirect": parameters["redirect_uri"].map(RedirectText.shown), "address": address,
        ])
      return errorPage(400, "This sign-in cannot go on", error.text)
    }
    do throws(AuthorizationRequest.Refusal) {
      let asked = try AuthorizationRequest(
        parameters, client: destination.client, redirectURI: destination.redirectURI)
      // HEAD asks what there is; it never makes a code.
      guard request.method != "HEAD" else { return .nothingDone }
      return try answer(asked, parameters, form)
    } catch {
      return refuse(error)
    }
  }

  private func answer(
    _ asked: AuthorizationRequest, _ parameters: Parameters, _ form: FormFields?
  ) throws(AuthorizationRequest.Refusal) -> ServerResponse {
    do { return try decide(asked, parameters, form) } catch { throw refusal(error, asked) }
  }

  private func refusal(
    _ error: any Error, _ asked: AuthorizationRequest, cookies: [String] = []
  ) -> AuthorizationRequest.Refusal {
    if var refusal = error as? AuthorizationRequest.Refusal {
      refusal.cookies += cookies
      return refusal
    }
    reportFailure(error)
    return AuthorizationRequest.Refusal(
      redirectURI: asked.redirectURI, state: asked.state,
      error: OAuthError("temporarily_unavailable", "the server cannot answer now; try again"), cookies: cookies)
  }

  private func decide(
    _ asked: AuthorizationRequest, _ parameters: Parameters, _ form: FormFields?
  ) throws -> ServerResponse {
    func refuse(_ code: String, _ text: String) -> AuthorizationRequest.Refusal {
      AuthorizationRequest.Refusal(
        redirectURI: asked.redirectURI, state: asked.state, error: OAuthError(code, text))
    }
    let here = settings.path + Endpoint.authorize.rawValue + "?" + queryText(parameters.items)
    if let form {
      let foreign = errorPage(
        403, "This sign-in cannot go on", "The form did not come from this server's page. Start again in the app.")
      let session = try browserSession()
      switch form.text("action") {
      // Changes nothing, and tells the app no more than a link to its address could: it needs no token, which who was signed out
      // meanwhile would not have.
      case "cancel": throw refuse("access_denied", "the user cancelled")
      case "sign-in":
        guard try isFromOwnPage(form, .signIn, here) else { return foreign }
        // Before anybody is signed in or out: it may be that the keys cannot be had.
        let meant = try asked.idTokenHint.flatMap { try subject(ofHint: $0) }
        switch try signIn(form, place(asked, here)) {
        case .page(let page): return page
        case .signedIn(let session, let cookies):
          do {
            // Whoever else it is, the client gets no code of him (OpenID Connect Core 3.1.2.1).
            if let meant, !isSame(meant, session.user) {
              throw refuse("login_required", "another user than the one meant signed in")
            }
            guard try missingConsent(asked, session).isEmpty, !asked.prompts.contains(.consent) else {
              return try consentPage(asked, here, session, cookies: cookies)
            }
            return try grant(asked, session, cookies: cookies)
          } catch {
            // The browser's old session has ended: without the cookie of the new one nobody would have that.
            throw refusal(error, asked, cookies: cookies)
          }
        }
      case "allow":
        // The form of this very session and request: what it skips was checked before the page was shown. Only time goes on meanwhile;
        // a maximum age of 0 was kept by the sign-in that led to the page, which may be looked at for a minute.
        guard let session, try isFromOwnPage(form, .consent(session: session.id), here) else { return foreign }
        guard isFresh(session, asked.maximumAge == 0 ? 60 : asked.maximumAge) else {
          return try signInPage(place(asked, here))
        }
        // Whoever was signed out in this very moment has given nothing, and signs in again.
        return try grantConsented(asked, session) ?? signInPage(place(asked, here))
      case "continue":
        guard let session, try isFromOwnPage(form, .proceed(session: session.id), here) else { return foreign }
        guard isFresh(session, asked.maximumAge) else { return try signInPage(place(asked, here)) }
        guard try missingConsent(asked, session).isEmpty else { return try consentPage(asked, here, session) }
        return try grant(asked, session)
      default: return errorPage(400, "This sign-in cannot go on", "The form is not one of this server's.")
      }
    }
    let session = try browserSession()
    let isNone = asked.prompts.contains(.none)
    guard let session, !asked.prompts.contains(.login), !asked.prompts.contains(.select_account),
      isFresh(session, asked.maximumAge), try isHinted(session.user, asked.idTokenHint)
    else {
      guard !isNone else { throw refuse("login_required", "nobody is signed in who could be meant") }
      return try signInPage(place(asked, here))
    }
    let missing = try missingConsent(asked, session)
    guard missing.isEmpty, !asked.prompts.contains(.consent) else {
      guard !isNone else { throw refuse("consent_required", "the user has not consented") }
      return try consentPage(asked, here, session)
    }
    // Any program of the device may have begun this in the app's name, and would get the code (RFC 8252 8.6, RFC 6749 10.2).
    guard asked.isAtClaimedAddress else {
      guard !isNone else { throw refuse("interaction_required", "the user has to agree to go on to this app") }
      return try proceedPage(asked, here, session)
    }
    return try grant(asked, session)
  }

  private func place(_ asked: AuthorizationRequest, _ here: String) -> SignInPlace {
    SignInPlace(
      here: here, words: "Sign in to go on to \(OutsideText.clean(asked.client.name, limit: 80)).",
      client: asked.client.id, hint: asked.loginHint)
  }

  /// Sends the browser back with a code.
  func grant(_ asked: AuthorizationRequest, _ session: BrowserSession, cookies: [String] = []) throws -> ServerResponse
  {
    let (text, code) = try code(asked, session)
    try store.add(code)
    return redirect(asked.redirectURI, [("code", text)], state: asked.state, cookies: cookies)
  }

  /// The same for who has just consented, which is kept with the code in one step; nil, and nothing is kept, when the session was
  /// ended meanwhile.
  private func grantConsented(_ asked: AuthorizationRequest, _ session: BrowserSession) throws -> ServerResponse? {
    let (text, code) = try code(asked, session)
    guard try store.addConsented(code, now: now) else { return nil }
    return redirect(asked.redirectURI, [("code", text)], state: asked.state)
  }

  private func code(
    _ asked: AuthorizationRequest, _ session: BrowserSession
  ) throws(Failure) -> (text: String, AuthorizationCode) {
    let code = try OpaqueToken(.code)
    let record = AuthorizationCode(
      hash: try backend.peppers.hash(code, now: now), client: asked.client.id, redirectURI: asked.redirectURI,
      challenge: asked.challenge, user: session.user, device: asked.device, scopes: asked.scopes, nonce: asked.nonce,
      authTime: session.authTime, browserSession: session.id, expiresAt: now.advanced(by: settings.codeSeconds))
    return (code.text, record)
  }

  private func refuse(_ refusal: AuthorizationRequest.Refusal) -> ServerResponse {
    redirect(
      refusal.redirectURI, [("error", refusal.error.code), ("error_description", refusal.error.text)],
      state: refusal.state, cookies: refusal.cookies)
  }

  /// 303, never 307: a password in the form must not be sent on (RFC 9700 4.12). The registered address keeps its own query
  /// (RFC 6749 3.1.2), and `iss` says whose answer it is (RFC 9207).
  private func redirect(
    _ uri: String, _ items: [(name: String, value: String)], state: String?, cookies: [String] = []
  ) -> ServerResponse {
    let all = items + (state.map { [("state", $0)] } ?? []) + [("iss", settings.issuer)]
    var response = ServerResponse(
      status: 303,
      headers: [
        "Location": BackendCall.address(uri, with: all), "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
      ])
    for cookie in cookies { response.headers.add("Set-Cookie", cookie) }
    return response
  }

  /// A registered address with more in its query, which it keeps.
  static func address(_ uri: String, with items: [(name: String, value: String)]) -> String {
    guard !items.isEmpty else { return uri }
    return uri + (uri.contains("?") ? (uri.hasSuffix("?") || uri.hasSuffix("&") ? "" : "&") : "?") + queryText(items)
  }

  private func isFresh(_ session: BrowserSession, _ maximumAge: Int64?) -> Bool {
    // 0 is the same as prompt=login (OpenID Connect Core 3.1.2.1).
    maximumAge.map { $0 > 0 && now <= session.authTime.advanced(by: $0) } ?? true
  }

  // An ID token that is over still says who is meant.
  func isHinted(_ user: String, _ hint: String?) throws(Failure) -> Bool {
    guard let hint else { return true }
    return try subject(ofHint: hint).map { isSame($0, user) } ?? false
  }

  private func missingConsent(_ asked: AuthorizationRequest, _ session: BrowserSession) throws(Failure) -> [String] {
    guard !asked.client.isFirstParty else { return [] }
    let given = Set(try store.consent(user: session.user, client: asked.client.id))
    return asked.scopes.filter { !given.contains($0) }
  }
}
