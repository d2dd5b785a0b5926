import GatewayLab
import HTTPTestSupport
import Testing

@Suite("The authorization endpoint") struct AuthorizeTests {
  @Test func theFormCanBeReadByEveryone() throws {
    let lab = try ProviderFixture()
    let page = try lab.get(lab.request(["login_hint": "<al\"ice>"]))
    #expect(page.status == 200)
    #expect(page.first("Content-Type") == "text/html; charset=utf-8")
    #expect(page.first("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
    #expect(page.first("Cache-Control") == "no-store" && page.first("X-Frame-Options") == "DENY")
    for part in [
      "<html lang=\"en\">", "<label for=\"username\">", "<label for=\"password\">", "type=\"password\"",
      "value=\"&lt;al&quot;ice&gt;\"", "method=\"post\"",
    ] { #expect(page.text.contains(part), "\(part)") }
    #expect(!page.text.contains("<script"))
  }

  @Test func aCodeGoesToTheRedirectWithStateAndIssuer() throws {
    let lab = try ProviderFixture()
    let answer = try lab.signIn()
    #expect(answer.status == 303)
    #expect(answer.location.hasPrefix(ProviderFixture.redirect + "?"))
    #expect(answer.answer["state"] == "s t&a=te" && answer.answer["iss"] == lab.provider.issuer)
    #expect(answer.answer["code"]?.isEmpty == false)
    let cookie = try #require(answer.first("Set-Cookie"))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
  }

  @Test func aWrongPasswordShowsTheFormAgain() throws {
    let lab = try ProviderFixture()
    for fields in [
      [("username", "alice"), ("password", "wrong")], [("username", "nobody"), ("password", "correct horse")],
      [("username", "alice")], [],
    ] {
      let page = try lab.post(lab.request(), fields)
      #expect(page.status == 403)
      #expect(page.text.contains("role=\"alert\"") && page.first("Set-Cookie") == nil)
    }
    lab.lab.gateway.setDisabled(true, user: "alice")
    #expect(try lab.signIn().status == 403)
  }

  @Test func theSecondTimeNobodyIsAsked() throws {
    let lab = try ProviderFixture()
    let cookie = try lab.signIn().cookies
    let answer = try lab.get(lab.request(), cookie)
    #expect(answer.status == 302 && answer.answer["code"] != nil)
    #expect(try lab.get(lab.request(["prompt": "none"]), cookie).answer["code"] != nil)
    #expect(try lab.get(lab.request(["prompt": "consent", "display": "wap"]), cookie).answer["code"] != nil)
    // But when that is asked for, or the sign-in is too old.
    for prompt in ["login", "select_account", "login consent"] {
      #expect(try lab.get(lab.request(["prompt": prompt]), cookie).status == 200)
    }
    lab.lab.clock.advance(by: 60)
    #expect(try lab.get(lab.request(["max_age": "60"]), cookie).status == 302)
    #expect(try lab.get(lab.request(["max_age": "59"]), cookie).status == 200)
    #expect(try lab.get(lab.request(["max_age": "59", "prompt": "none"]), cookie).answer["error"] == "login_required")
    lab.lab.clock.advance(by: 86_400)
    #expect(try lab.get(lab.request(), cookie).status == 200)
    #expect(try lab.get(lab.request(), ["Cookie: LabIdentityProvider=made-up"]).status == 200)
  }

  @Test func theTimeOfTheSignInStaysTheSame() throws {
    let lab = try ProviderFixture()
    let cookie = try lab.signIn().cookies
    lab.lab.clock.advance(by: 100)
    let code = try #require(try lab.get(lab.request(), cookie).answer["code"])
    let token = try claims(try lab.exchangeCode(code).json().text("id_token"))
    #expect(token["auth_time"] == .integer(ProviderFixture.start.seconds))
    #expect(token["iat"] == .integer(ProviderFixture.start.seconds + 100))
  }

  @Test func whoIsHintedMustSignIn() throws {
    let lab = try ProviderFixture()
    let hint = try lab.tokens().text("id_token")
    let bob = try lab.signIn(user: "bob").cookies, alice = try lab.signIn().cookies
    #expect(try lab.get(lab.request(["id_token_hint": hint, "prompt": "none"]), alice).answer["code"] != nil)
    #expect(
      try lab.get(lab.request(["id_token_hint": hint, "prompt": "none"]), bob).answer["error"] == "login_required")
    #expect(try lab.signIn(["id_token_hint": hint], user: "bob").answer["error"] == "login_required")
    #expect(try lab.get(lab.request(["id_token_hint": "x"])).answer["error"] == "invalid_request")
  }

  @Test func whoCancelsIsSentBack() throws {
    let lab = try ProviderFixture()
    let answer = try lab.post(lab.request(), [("username", ""), ("action", "cancel")])
    #expect(answer.answer["error"] == "access_denied" && answer.answer["state"] == "s t&a=te")
    #expect(answer.answer["iss"] == lab.provider.issuer)
  }

  @Test func anotherSitesFormSignsNobodyIn() throws {
    let lab = try ProviderFixture()
    let fields = [("username", "alice"), ("password", ProviderFixture.password)]
    for header in ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
      #expect(try lab.post(lab.request(), fields, [header]).status == 403)
    }
    let own = ["Origin: \(lab.provider.issuer)", "Sec-Fetch-Site: same-origin"]
    #expect(try lab.post(lab.request(), fields, own).status == 303)
  }

  @Test(arguments: [
    ("http://127.0.0.1/callback", true), ("http://127.0.0.1:1/callback", true),
    ("http://127.0.0.1:65535/callback", true),
    ("http://127.0.0.1:65536/callback", false), ("http://127.0.0.1:0/callback", false),
    ("http://127.0.0.1:/callback", false), ("http://127.0.0.1:80x/callback", false),
    ("http://127.0.0.1:1/callback/", false), ("http://127.0.0.1:1/Callback", false),
    ("http://127.0.0.1:1/callback?x=1", false), ("http://127.0.0.1:1/callback#x", false),
    ("http://127.0.0.1:1@evil.example/callback", false), ("http://127.0.0.10/callback", false),
    ("http://127.0.0.1.evil.example/callback", false), ("http://localhost:1/callback", false),
    ("https://127.0.0.1:1/callback", false), ("http://[::1]:1/callback", false), ("", false),
    ("http://127.0.0.1:00001/callback", true), ("http://127.0.0.1:000001/callback", false),
  ])
  func onlyThePortOfLoopbackIsFree(redirect: String, isAllowed: Bool) throws {
    let lab = try ProviderFixture()
    let answer = try lab.signIn(["redirect_uri": redirect])
    #expect(answer.status == (isAllowed ? 303 : 400))
    #expect(isAllowed ? answer.location.hasPrefix(redirect + "?code=") : answer.first("Location") == nil)
  }

  @Test func nobodyIsSentToWhoIsUnknown() throws {
    let lab = try ProviderFixture()
    for changes: [String: String?] in [
      ["client_id": "other"], ["client_id": nil], ["redirect_uri": nil],
    ] {
      let page = try lab.get(lab.request(changes))
      #expect(page.status == 400 && page.first("Location") == nil)
    }
    #expect(try lab.get(lab.request() + "&client_id=mfs").status == 400)
    #expect(try lab.get(lab.request() + "&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback").status == 400)
  }

  static let refusals: [(changes: [String: String?], error: String)] = [
    (["response_type": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
    (["response_type": "code id_token"], "unsupported_response_type"),
    (["response_mode": "form_post"], "invalid_request"),
    (["response_type": "id_token", "response_mode": "query"], "invalid_request"),
    (["response_type": "id_token", "nonce": nil], "invalid_request"),
    (["response_type": "id_token", "scope": "profile"], "invalid_scope"),
    (["code_challenge": nil], "invalid_request"),
    (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
    (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge_method": nil], "invalid_request"),
    (["code_challenge": "short"], "invalid_request"), (["prompt": "none login"], "invalid_request"),
    (["prompt": "dance"], "invalid_request"), (["prompt": "none"], "login_required"),
    (["max_age": "-1"], "invalid_request"), (["max_age": "soon"], "invalid_request"),
    (["request": "x.y.z"], "request_not_supported"),
    (["request_uri": "https://a.example"], "request_uri_not_supported"),
  ]

  @Test(arguments: refusals.indices)
  func otherMistakesAreToldAtTheRedirect(index: Int) throws {
    let (changes, error) = AuthorizeTests.refusals[index]
    let lab = try ProviderFixture()
    let response = try lab.get(lab.request(changes))
    #expect(response.status == 302 && response.answer["error"] == error, "\(changes) \(response.location)")
    #expect(response.answer["state"] == "s t&a=te" && response.answer["iss"] == lab.provider.issuer)
    #expect(
      response.location.contains("#")
        == (changes["response_type"] == "id_token" || changes["response_type"] == "token"
          || changes["response_type"] == "code id_token"))
  }

  @Test func aParameterThatStandsTwiceIsRefused() throws {
    let lab = try ProviderFixture()
    #expect(try lab.get(lab.request() + "&scope=openid").answer["error"] == "invalid_request")
  }

  @Test func aRequestMayComeInAForm() throws {
    let lab = try ProviderFixture()
    let response = try lab.post(
      "/authorize", [("client_id", "mfs"), ("redirect_uri", ProviderFixture.redirect), ("password", "secret")])
    #expect(response.status == 303)
    #expect(response.location == "/authorize?client_id=mfs&redirect_uri=http%3A%2F%2F127.0.0.1%3A53999%2Fcallback")
  }

  @Test func withoutPKCEWhenThatIsConfigured() throws {
    let lab = try ProviderFixture { $0.provider.options.requiresPKCE = false }
    let code = try lab.code(["code_challenge": nil, "code_challenge_method": nil])
    #expect(try lab.exchangeCode(code, verifier: nil).status == 200)
    // A verifier that belongs to nothing is a sign of a swapped code.
    let other = try lab.code(["code_challenge": nil, "code_challenge_method": nil])
    #expect(try lab.exchangeCode(other).error == "invalid_grant")
  }

  @Test func theIssuerIsLeftOutWhenTheMetadataDoNotPromiseIt() throws {
    let lab = try ProviderFixture { $0.provider.options.namesIssuer = false }
    #expect(try lab.signIn().answer["iss"] == nil)
    let metadata = try lab.get("/.well-known/openid-configuration").json()
    #expect(metadata["authorization_response_iss_parameter_supported"] == false)
  }
}

@Suite("The implicit flow") struct ImplicitTests {
  @Test(arguments: ["id_token", "id_token token", "token id_token"])
  func tokensComeInTheFragment(type: String) throws {
    let lab = try ProviderFixture()
    let answer = try lab.signIn([
      "response_type": type, "code_challenge": nil, "code_challenge_method": nil,
    ])
    #expect(answer.location.hasPrefix(ProviderFixture.redirect + "#"))
    let items = answer.answer
    #expect(items["state"] == "s t&a=te" && items["iss"] == lab.provider.issuer && items["code"] == nil)
    #expect((items["access_token"] != nil) == (type != "id_token"))
    let token = try #require(items["id_token"])
    #expect(try lab.refusal(token, .authorization, access: items["access_token"]) == nil)
    #expect((try claims(token)["at_hash"] != nil) == (items["access_token"] != nil))
  }

  @Test func aCodeMayComeInTheFragmentToo() throws {
    let lab = try ProviderFixture()
    let answer = try lab.signIn(["response_mode": "fragment"])
    #expect(answer.location.hasPrefix(ProviderFixture.redirect + "#code="))
    #expect(try lab.exchangeCode(try #require(answer.answer["code"])).status == 200)
  }
}
