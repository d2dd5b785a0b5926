import Basics
import HTTPTestSupport
import Testing

@Suite("/authorize: who is asked what")
struct AuthorizePromptTests {
  private func authTime(_ fixture: BackendFixture, _ code: String, _ asked: Asked = Asked()) throws -> Int64 {
    let tokens = try Tokens(fixture.redeem(code, asked))
    return try #require(try decoded(tokens.idToken).claims["auth_time"]?.number)
  }

  @Test("AZ-24 prompt=none without consent is refused")
  func noConsent() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    let third = Asked("third", scope: "openid")
    let refused = try browser.get(third.with("prompt", "none").target)
    #expect(refused.destination?["error"] == "consent_required")
    #expect(refused.destination?["state"] == Asked.state)
    // Consent is asked, given once, and remembered for what it was given for.
    let page = try browser.get(third.target)
    #expect(page.status == 200)
    #expect(page.text.contains("The third app") && page.text.contains("to know that it is you"))
    #expect(try browser.submit(page, "allow").destination?["code"] != nil)
    #expect(try browser.get(third.with("prompt", "none").target).destination?["code"] != nil)
    let wider = Asked("third", scope: "openid email").with("prompt", "none")
    #expect(try browser.get(wider.target).destination?["error"] == "consent_required")
  }

  @Test("a consent is kept with the code that it gives, or not at all")
  func consentAndCode() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), third = Asked("third", scope: "openid")
    let page = try browser.authorize(third)
    try fixture.run("CREATE TRIGGER broken BEFORE INSERT ON code BEGIN SELECT raise(ABORT, 'broken'); END")
    #expect(try browser.submit(page, "allow").destination?["error"] == "temporarily_unavailable")
    #expect(try fixture.store.consent(user: "user_alice", client: "third") == [])
    try fixture.run("DROP TRIGGER broken")
    #expect(try browser.submit(page, "allow").destination?["code"] != nil)
    #expect(try fixture.store.consent(user: "user_alice", client: "third") == ["openid"])
  }

  @Test("a refused consent is access_denied, and nothing is remembered")
  func refusedConsent() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), third = Asked("third", scope: "openid")
    let page = try browser.authorize(third)
    #expect(page.status == 200)
    let answer = try browser.submit(page, "cancel")
    #expect(answer.destination?["error"] == "access_denied")
    #expect(answer.destination?["iss"] == fixture.issuer)
    #expect(try browser.get(third.with("prompt", "none").target).destination?["error"] == "consent_required")
  }

  @Test(
    "AZ-25 prompt=none may not be combined", arguments: ["none login", "login none", "none consent", "none none x"])
  func combined(_ prompt: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    let answer = try browser.get(Asked().with("prompt", prompt).target)
    #expect(answer.isRedirect)
    #expect(answer.destination?["error"] == "invalid_request")
  }

  @Test("AZ-26 prompt=login asks for the password again, and auth_time is later")
  func login() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let before = try authTime(fixture, fixture.code(in: browser))
    fixture.clock.advance(by: 100)
    // Without it nobody is asked, and auth_time stays.
    #expect(try authTime(fixture, try #require(try browser.get(Asked().target).destination?["code"])) == before)
    let asked = Asked().with("prompt", "login")
    let page = try browser.get(asked.target)
    #expect(page.status == 200)
    #expect(page.text.contains("name=\"password\""))
    let answer = try browser.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
    #expect(try authTime(fixture, try #require(answer.destination?["code"]), asked) == before + 100)
  }

  @Test("prompt=select_account lets another account sign in, and auth_time is then")
  func selectAccount() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    fixture.clock.advance(by: 100)
    let asked = Asked().with("prompt", "select_account"), page = try browser.get(asked.target)
    #expect(page.status == 200 && page.text.contains("name=\"username\"") && page.text.contains("name=\"password\""))
    let answer = try browser.submit(page, "sign-in", [("username", "bob"), ("password", Registry.password)])
    let tokens = try Tokens(fixture.redeem(try #require(answer.destination?["code"]), asked))
    let claims = try decoded(tokens.idToken).claims
    #expect(claims["sub"]?.string == "user_bob" && claims["auth_time"]?.number == fixture.clock.now.seconds)
    // From then on it is he who is signed in here.
    let next = try fixture.redeem(try #require(browser.get(Asked().target).destination?["code"]))
    #expect(try decoded(Tokens(next).access).claims["sub"]?.string == "user_bob")
  }

  @Test("prompt=none with nobody signed in, and an unknown word, are refused (OpenID Connect Core 3.1.2.6)")
  func nobody() throws {
    let fixture = try BackendFixture()
    let answer = try Browser(fixture).get(Asked().with("prompt", "none").target)
    #expect(answer.destination?["error"] == "login_required")
    #expect(try Browser(fixture).get(Asked().with("prompt", "now").target).destination?["error"] == "invalid_request")
  }

  @Test("max_age that is over while a page asks is over", arguments: [("scheme", "continue"), ("third", "allow")])
  func maximumAgeOnPages(_ client: String, _ action: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), asked = Asked(client).with("max_age", "60")
    _ = try browser.authorize(Asked())
    func page() throws -> RawResponse {
      let page = try browser.get(asked.target)
      #expect(page.text.contains("value=\"\(action)\""))
      return page
    }
    #expect(try browser.submit(page(), action).destination?["code"] != nil)
    // Once more where the consent that was given would do.
    let again = asked.with("prompt", client == "third" ? "consent" : nil), start = try browser.get(again.target)
    fixture.clock.advance(by: 60)
    #expect(try browser.submit(start, action).destination?["code"] != nil)
    let late = try browser.get(again.target)
    fixture.clock.advance(by: 1)
    let answer = try browser.submit(late, action)
    #expect(answer.status == 200 && answer.first("Location") == nil && answer.text.contains("name=\"password\""))
    // Who signs in there goes on.
    let typed = [("username", "alice"), ("password", Registry.password)]
    var next = try browser.submit(answer, "sign-in", typed)
    if client == "third" { next = try browser.submit(next, action) }
    #expect(try authTime(fixture, try #require(next.destination?["code"]), again) == fixture.clock.now.seconds)
    // 0 is kept by the sign-in that comes before the page, which may be looked at for a minute.
    guard client == "third" else { return }
    for (seconds, isInTime) in [(60, true), (61, false)] as [(Int64, Bool)] {
      let fresh = try browser.authorize(again.with("max_age", "0"))
      fixture.clock.advance(by: seconds)
      let answer = try browser.submit(fresh, action)
      #expect((answer.destination?["code"] != nil) == isInTime)
      #expect(answer.text.contains("name=\"password\"") != isInTime)
    }
  }

  @Test("who is asked for consent sees whose it is")
  func whose() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    for asked in [Asked("third"), Asked("scheme").with("prompt", "consent")] {
      let page = try browser.get(asked.target)
      #expect(page.text.contains("You are signed in as alice.") && page.text.contains("value=\"allow\""))
    }
  }

  @Test("max_age asks again once the sign-in is older, and 0 always (OpenID Connect Core 3.1.2.1)")
  func maximumAge() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    #expect(try browser.get(Asked().with("max_age", "0").target).status == 200)
    fixture.clock.advance(by: 60)
    #expect(try browser.get(Asked().with("max_age", "60").target).destination?["code"] != nil)
    #expect(try browser.get(Asked().with("max_age", "9223372036854775807").target).destination?["code"] != nil)
    fixture.clock.advance(by: 1)
    #expect(try browser.get(Asked().with("max_age", "60").target).status == 200)
    let none = Asked().with("max_age", "60").with("prompt", "none")
    #expect(try browser.get(none.target).destination?["error"] == "login_required")
    for text in ["-1", "x", "1e3", "9223372036854775808", "1.5"] {
      #expect(try browser.get(Asked().with("max_age", text).target).destination?["error"] == "invalid_request")
    }
    let answer = try browser.authorize(Asked().with("max_age", "0"))
    #expect(answer.destination?["code"] != nil, "who signs in for it is not asked for ever")
  }

  @Test("AZ-28 id_token_hint of another user with prompt=none is login_required")
  func otherUsersHint() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let bobs = try #require(try fixture.signIn(user: "bob").id)
    let alices = try #require(try fixture.signIn(in: browser).id)
    func ask(_ hint: String, _ prompt: String? = "none") throws -> RawResponse {
      try browser.get(Asked().with("id_token_hint", hint).with("prompt", prompt).target)
    }
    #expect(try ask(bobs).destination?["error"] == "login_required")
    #expect(try ask(bobs, nil).status == 200, "without prompt=none a person is asked")
    #expect(try ask(alices).destination?["code"] != nil)
    // One that is over still says who is meant.
    fixture.clock.advance(by: 7_000)
    #expect(try ask(alices).destination?["code"] != nil)
  }

  @Test("while the keys cannot be had, nobody is taken for the one that id_token_hint names, and the app may try again")
  func hintsWithoutKeys() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let alices = try fixture.signIn(in: browser).idToken, bobs = try fixture.signIn(user: "bob").idToken
    let form = Browser(fixture)
    form.cookies = browser.cookies
    let page = try form.get(Asked().with("id_token_hint", bobs).target)
    let sessions = try fixture.rows("SELECT id FROM browser_session ORDER BY id")
    // Only the keys that sign are too old to be used, and cannot be read.
    fixture.clock.advance(by: 200)
    try fixture.backend.peppers.tick()
    try fixture.run("ALTER TABLE server_key RENAME TO gone")
    let silent = try browser.get(Asked().with("id_token_hint", alices).with("prompt", "none").target)
    #expect(silent.destination?["error"] == "temporarily_unavailable")
    let other = try form.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
    #expect(other.destination?["error"] == "temporarily_unavailable" && other.destination?["code"] == nil)
    #expect(try fixture.rows("SELECT id FROM browser_session ORDER BY id") == sessions, "nobody was signed in or out")
    try fixture.run("ALTER TABLE gone RENAME TO server_key")
    let again = try browser.get(Asked().with("id_token_hint", alices).with("prompt", "none").target)
    #expect(again.destination?["code"] != nil)
  }

  @Test("id_token_hint that is not ours, or no ID token, names nobody")
  func foreignHint() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), foreign = try BackendFixture()
    let tokens = try fixture.signIn(in: browser)
    let own = try #require(tokens.id), parts = own.split(separator: ".")
    let signedElsewhere = try #require(try foreign.signIn().id)
    for hint in [
      signedElsewhere, tokens.access, "x", "..", own + "x", "eyJhbGciOiJub25lIn0.\(parts[1]).",
      "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))",
    ] {
      let answer = try browser.get(Asked().with("id_token_hint", hint).with("prompt", "none").target)
      #expect(answer.destination?["error"] == "login_required", "\(hint)")
    }
  }

  @Test("who signs in is the one that id_token_hint names, or nobody (OpenID Connect Core 3.1.2.1)")
  func otherThanHinted() throws {
    let fixture = try BackendFixture()
    let bobs = try #require(try fixture.signIn(user: "bob").id)
    let answer = try Browser(fixture).authorize(Asked().with("id_token_hint", bobs), user: "alice")
    #expect(answer.destination?["error"] == "login_required")
    #expect(answer.destination?["code"] == nil)
    #expect(
      try Browser(fixture).authorize(Asked().with("id_token_hint", bobs), user: "bob").destination?["code"] != nil)
  }

  @Test("a browser that somebody signed in in has the session, also when the app gets no code then")
  func signedInWithoutACode() throws {
    let fixture = try BackendFixture(), bobs = try fixture.signIn(user: "bob").idToken
    let signIn = [("username", "alice"), ("password", Registry.password)]
    func expectSignedIn(_ browser: Browser, _ asked: Asked, _ error: String) throws {
      let answer = try browser.submit(browser.get(asked.target), "sign-in", signIn)
      #expect(answer.status == 303 && answer.destination?["error"] == error)
      #expect(answer.all("Set-Cookie").count == 2)
    }
    let hinted = Browser(fixture), failed = Browser(fixture)
    try expectSignedIn(hinted, Asked().with("id_token_hint", bobs), "login_required")
    try fixture.run("ALTER TABLE code RENAME TO gone")
    try expectSignedIn(failed, Asked(), "temporarily_unavailable")
    try fixture.run("ALTER TABLE gone RENAME TO code")
    for browser in [hinted, failed] {
      #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
    }
  }

  @Test("nonce comes back byte for byte in the ID token, and login_hint stands on the page")
  func nonce() throws {
    let fixture = try BackendFixture()
    let asked = Asked().with("nonce", "n\"\\ é\u{1F511}/+").with("login_hint", "<b>\"alice\"&")
    let page = try Browser(fixture).get(asked.target)
    #expect(page.text.contains("value=\"&lt;b&gt;&quot;alice&quot;&amp;\""))
    let tokens = try fixture.signIn(asked)
    #expect(try decoded(tokens.idToken).claims["nonce"]?.string == asked["nonce"])
  }
}
