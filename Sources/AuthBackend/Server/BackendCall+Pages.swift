internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import JOSE
internal import OAuthHTTP

extension BackendCall {
  static let site = "MFS sign-in"

  var mac: ServerMac { ServerMac(peppers: backend.peppers, now: now) }

  /// A page that says what is wrong, and sends nobody anywhere.
  func errorPage(_ status: Int, _ title: String, _ text: String) -> ServerResponse {
    var page = HTMLPage(title, site: BackendCall.site)
    page.warn(text)
    return page.response(status: status)
  }

  /// The page with name and password.
  func signInPage(
    _ place: SignInPlace, user: String? = nil, problem: String? = nil, status: Int = 200
  ) throws(Failure) -> ServerResponse {
    var page = HTMLPage("Sign in", site: BackendCall.site)
    if let problem { page.warn(problem) }
    page.say(place.words)
    return try withToken(page, status, .signIn, place.here) { page, token in
      page.form(
        place.here, hidden: [("csrf", token)],
        fields: [
          .init("username", "Email or username", value: user ?? place.hint ?? "", completion: "username"),
          .init("password", "Password", type: "password", completion: "current-password"),
        ], buttons: [.init("sign-in", "Sign in"), .init("cancel", "Cancel")])
    }
  }

  /// The page that asks whether an app of somebody else may have what it asks for.
  func consentPage(
    _ asked: AuthorizationRequest, _ here: String, _ session: BrowserSession, cookies: [String] = []
  ) throws(Failure) -> ServerResponse {
    var page = HTMLPage("Allow access?", site: BackendCall.site)
    page.say("You are signed in as \(try name(session)). \(OutsideText.clean(asked.client.name, limit: 80)) asks for:")
    page.list(asked.scopes.isEmpty ? ["to know that you signed in"] : asked.scopes.map(ScopeText.words))
    var response = try withToken(page, 200, .consent(session: session.id), here) { page, token in
      page.form(here, hidden: [("csrf", token)], buttons: [.init("allow", "Allow"), .init("cancel", "Refuse")])
    }
    for cookie in cookies { response.headers.add("Set-Cookie", cookie) }
    return response
  }

  /// The page that asks who is signed in already whether an app may have that sign-in.
  func proceedPage(
    _ asked: AuthorizationRequest, _ here: String, _ session: BrowserSession
  ) throws(Failure) -> ServerResponse {
    var page = HTMLPage("Continue?", site: BackendCall.site)
    page.say("Continue as \(try name(session)) to \(OutsideText.clean(asked.client.name, limit: 80))?")
    page.say("Do so only if you have just begun to sign in to it.")
    return try withToken(page, 200, .proceed(session: session.id), here) { page, token in
      page.form(here, hidden: [("csrf", token)], buttons: [.init("continue", "Continue"), .init("cancel", "Cancel")])
    }
  }

  private func name(_ session: BrowserSession) throws(Failure) -> String {
    OutsideText.clean(try store.user(id: session.user)?.name ?? "", limit: 256)
  }

  /// Gives a page's form the token that its answer must have, and the browser the cookie that it belongs to.
  func withToken(
    _ page: HTMLPage, _ status: Int, _ form: PageForm, _ here: String, _ add: (inout HTMLPage, String) -> Void
  ) throws(Failure) -> ServerResponse {
    var page = page
    let known = cookie(.page).flatMap { $0.utf8.count == 22 ? $0 : nil }
    let value = if let known { known } else { try TokenID.random() }
    add(&page, try mac.make("page", value, form.text, here))
    var response = page.response(status: status)
    if known == nil {
      response.headers.add("Set-Cookie", Cookie.page.header(value, seconds: nil, isSecure: settings.isSecure))
    }
    return response
  }

  /// Whether a form comes from the page of ours that had it: its token belongs to the browser's cookie, and to this form at this
  /// address, and the browser names no other origin.
  func isFromOwnPage(_ form: FormFields, _ page: PageForm, _ here: String) throws(Failure) -> Bool {
    guard let value = cookie(.page), let token = form.text("csrf") else { return false }
    let origin = String(settings.issuer.dropLast(settings.path.utf8.count))
    guard request.headers.all("Origin").allSatisfy({ isSame($0, origin) }),
      request.headers.all("Sec-Fetch-Site").allSatisfy({ $0 == "same-origin" || $0 == "none" })
    else { return false }
    return try mac.isRight(token, "page", value, page.text, here)
  }

  /// Who is signed in in this browser.
  func browserSession() throws(Failure) -> BrowserSession? {
    guard let text = cookie(.session), let token = OpaqueToken(.browser, text) else { return nil }
    return try store.browserSession(presented: try backend.peppers.hashes(token, now: now), now: now)
  }

  /// The subject of an ID token of ours, over or not; nil for any other.
  func subject(ofHint hint: String) throws(Failure) -> String? { try hinted(hint)?.subject }

  /// Whom an ID token of ours, and not an access token, was for, and which client's; its end does not matter, its signature does
  /// (OpenID Connect RP-Initiated Logout 2). Throws when the keys cannot be had: that says nothing of the hint.
  func hinted(_ hint: String) throws(Failure) -> IDTokenHint? {
    guard let payload = verified(hint, try backend.keys.jwks(now: now).keys),
      let claims = try? JSONReader.value(payload), let issuer = claims["iss"]?.string, isSame(issuer, settings.issuer),
      let subject = claims["sub"]?.string, let client = claims["aud"]?.string
    else { return nil }
    let authTime: Int64? = if case .integer(let seconds)? = claims["auth_time"] { seconds } else { nil }
    return IDTokenHint(subject: subject, client: client, authTime: authTime)
  }

  private func verified(_ token: String, _ keys: JSONWebKeySet) -> [UInt8]? {
    let bytes = Array(token.utf8)
    guard let verified = unsafe bytes.withUnsafeBytes({ unsafe try? JWSVerifier().verify($0, keys: keys) }),
      verified.header.type == TokenType.idToken.rawValue
    else { return nil }
    return verified.payload
  }
}

/// What an ID token of ours says of its sign-in.
struct IDTokenHint {
  let subject: String
  let client: String
  /// `auth_time` in seconds: the same for all that came from one sign-in in a browser, whichever apps it was for.
  let authTime: Int64?
}

/// A form on one of our pages.
enum PageForm {
  case signIn, signOut
  case consent(session: String), proceed(session: String)
  case userCode(session: String), deviceCode(session: String, code: String)
  case password(session: String), devices(session: String)

  var text: String {
    switch self {
    case .signIn: "sign-in"
    case .signOut: "sign-out"
    case .consent(let session): "consent " + session
    case .proceed(let session): "proceed " + session
    case .userCode(let session): "user-code " + session
    case .deviceCode(let session, let code): "device-code " + session + " " + code
    case .password(let session): "password " + session
    case .devices(let session): "devices " + session
    }
  }
}

extension ScopeText {
  /// What a scope means to a person.
  static func words(_ scope: String) -> String {
    switch scope {
    case "openid": "to know that it is you"
    case "profile": "your name and profile"
    case "email": "your e-mail address"
    case "phone": "your telephone number"
    case "address": "your address"
    case "offline_access": "to stay signed in"
    default: scope
    }
  }
}
