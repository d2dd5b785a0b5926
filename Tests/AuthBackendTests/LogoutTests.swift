import Basics
import HTTPTestSupport
import Testing

@Suite("Signing out")
struct LogoutTests {
  private func logOut(_ fixture: BackendFixture, _ token: String, body: [(String, String)] = []) throws -> RawResponse {
    let headers = ["Authorization: Bearer \(token)"]
    return body.isEmpty
      ? try fixture.send("POST", "/oauth/logout", headers: headers + ["Content-Length: 0"])
      : try fixture.post("/oauth/logout", body, headers: headers)
  }

  @Test("LO-01 a bearer token signs its own device out, all=true every one")
  func logout() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let phone = try fixture.signIn(Asked().with("device_id", "phone")), tablet = try fixture.signIn(in: browser)
    let bobs = try fixture.signIn(user: "bob")
    let answer = try logOut(fixture, phone.access)
    #expect(answer.status == 204 && answer.body.isEmpty)
    #expect(try fixture.refresh(phone.refresh, device: "phone").error == "invalid_grant")
    #expect(try fixture.userInfo(phone.access).status == 401)
    #expect(try logOut(fixture, phone.access).status == 401)
    let next = try Tokens(fixture.refresh(tablet.refresh))
    #expect(try logOut(fixture, next.access, body: [("all", "false")]).status == 204)
    #expect(try fixture.refresh(next.refresh).error == "invalid_grant")

    let (one, two) = (try fixture.signIn(), try fixture.signIn())
    #expect(try logOut(fixture, one.access, body: [("all", "true")]).status == 204)
    for tokens in [one, two] {
      #expect(try fixture.refresh(tokens.refresh).error == "invalid_grant")
      #expect(try fixture.userInfo(tokens.access).status == 401)
    }
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["error"] == "login_required")
    #expect(try fixture.refresh(bobs.refresh).status == 200)
    #expect(fixture.events.alerts.isEmpty)
  }

  @Test("somebody else's app ends its own sign-in, and no other with all=true")
  func thirdParty() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), third = Asked("third", scope: "openid")
    let mine = try fixture.signIn(in: browser)
    let code = try browser.submit(try browser.get(third.target), "allow").destination?["code"]
    let theirs = try Tokens(fixture.redeem(try #require(code), third))
    let refused = try logOut(fixture, theirs.access, body: [("all", "true")])
    #expect(refused.status == 403 && refused.error == "unauthorized_client")
    for tokens in [mine, theirs] { #expect(try fixture.userInfo(tokens.access).status == 200) }
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
    #expect(fixture.events.named("logout.refused").count == 1)
    #expect(try logOut(fixture, theirs.access, body: [("all", "false")]).status == 204)
    #expect(try fixture.userInfo(theirs.access).status == 401)
    #expect(try fixture.refresh(mine.refresh).status == 200)
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
  }

  @Test("no bearer token, or no good one, signs nobody out")
  func noToken() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    for token in [tokens.refresh, tokens.id ?? "", "x"] { #expect(try logOut(fixture, token).status == 401) }
    #expect(try fixture.send("POST", "/oauth/logout", headers: ["Content-Length: 0"]).status == 401)
    #expect(try fixture.send("GET", "/oauth/logout", headers: ["Authorization: Bearer \(tokens.access)"]).status == 405)
    // RFC 6750 2.3: a token in the address is not read.
    #expect(try fixture.send("POST", "/oauth/logout?access_token=\(tokens.access)", body: "").status == 401)
    #expect(try fixture.refresh(tokens.refresh).status == 200)
  }

  private func target(_ items: [(String, String)]) -> String { "/oauth/end_session?" + formText(items) }

  @Test(
    "LO-02 a good hint signs out and leads to the registered address, with state, by GET and POST",
    arguments: [
      ("GET", "https://app.example/bye"), ("POST", "https://app.example/bye"), ("GET", "https://app.example/bye?x=1"),
      ("GET", "https://app.example/bye?"),
    ])
  func endSession(_ method: String, _ uri: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let tokens = try fixture.signIn(in: browser)
    // One that is over is taken too.
    fixture.clock.advance(by: 7_000)
    let items = [("id_token_hint", tokens.id ?? ""), ("post_logout_redirect_uri", uri), ("state", Asked.state)]
    let answer = method == "GET" ? try browser.get(target(items)) : try browser.post("/oauth/end_session", items)
    #expect(answer.isRedirect)
    let mark = uri.hasSuffix("?") ? "" : uri.contains("?") ? "&" : "?"
    #expect(answer.first("Location") == uri + mark + "state=" + encoded(Asked.state))
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["error"] == "login_required")
    #expect(browser.cookies.keys.contains { $0.contains("session") } == false)
  }

  @Test("a state that an answer's header has no room for is not sent back; the browser is signed out all the same")
  func longState() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let tokens = try fixture.signIn(in: browser)
    let answer = try browser.post(
      "/oauth/end_session",
      [
        ("id_token_hint", tokens.id ?? ""), ("post_logout_redirect_uri", "https://app.example/bye"),
        ("state", String(repeating: "s", count: 60_000)),
      ])
    #expect(answer.status == 200 && answer.first("Location") == nil)
    #expect(browser.cookies.keys.contains { $0.contains("session") } == false)
  }

  @Test(
    "LO-03 an address that is not registered is never led to, and without a good hint a person is asked",
    arguments: 0..<8)
  func noRedirect(_ how: Int) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let tokens = try fixture.signIn(in: browser), foreign = try BackendFixture().signIn()
    // Another signature: to change its last characters might change none of its bits.
    let id = tokens.id ?? "", parts = id.split(separator: ".").map(String.init)
    let forged = parts.dropLast().joined(separator: ".") + "." + String((parts.last ?? "").reversed())
    let bye = ("post_logout_redirect_uri", "https://app.example/bye")
    let evil = ("post_logout_redirect_uri", "https://evil.example/bye")
    let cases: [(items: [(String, String)], isAsked: Bool)] = [
      ([("id_token_hint", id), evil], false), ([bye], true), ([bye, ("client_id", "app")], true),
      ([("id_token_hint", forged), bye], true),
      ([("id_token_hint", foreign.id ?? ""), bye], true),
      ([("id_token_hint", id), ("client_id", "other"), bye], true), ([("id_token_hint", tokens.access), bye], true),
      ([], true),
    ]
    let answer = try browser.get(target(cases[how].items))
    #expect([200, 400].contains(answer.status))
    #expect(answer.first("Location") == nil)
    #expect(answer.text.contains("<form") == cases[how].isAsked)
    guard cases[how].isAsked else { return }
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil, "nobody was signed out")
    let agreed = try browser.submit(answer, "sign-out")
    #expect([200, 400].contains(agreed.status))
    #expect(agreed.first("Location") == nil)
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["error"] == "login_required")
  }

  @Test("a hint from another sign-in of the same user asks, whichever came first", arguments: ["GET", "HEAD", "POST"])
  func anotherSignIn(_ method: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let before = try fixture.signIn()
    fixture.clock.advance(by: 1)
    let mine = try fixture.signIn(in: browser)
    fixture.clock.advance(by: 1)
    let after = try fixture.signIn()
    for hint in [before.idToken, after.idToken] {
      let items = [("id_token_hint", hint), ("post_logout_redirect_uri", "https://app.example/bye")]
      let answer =
        method == "POST" ? try browser.post("/oauth/end_session", items) : try browser.send(method, target(items))
      #expect(answer.status == 200 && answer.first("Location") == nil)
      #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
    }
    // A refresh's ID token is of the same sign-in; without anybody in the browser there is nothing to ask about.
    let items = [
      ("id_token_hint", try Tokens(fixture.refresh(mine.refresh)).idToken),
      ("post_logout_redirect_uri", "https://app.example/bye"),
    ]
    #expect(try browser.get(target(items)).first("Location") == "https://app.example/bye")
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["error"] == "login_required")
    #expect(try browser.get(target(items)).first("Location") == "https://app.example/bye")
  }

  @Test("another user's hint asks, and a page from elsewhere does not sign out")
  func foreign() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let bobs = try fixture.signIn(user: "bob")
    _ = try browser.authorize(Asked())
    let page = try browser.get(target([("id_token_hint", bobs.id ?? "")]))
    #expect(page.text.contains("<form"))
    let forged = try browser.post(target([]), [("action", "sign-out"), ("csrf", "x")])
    #expect(forged.first("Location") == nil)
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
  }
}
