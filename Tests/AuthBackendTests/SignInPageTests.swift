import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

@Suite("The sign-in page")
struct SignInPageTests {
  @Test("AZ-32 the answer to the password is a 303, and its cookies are for this server alone")
  func seeOther() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let page = try browser.get(Asked().target)
    let answer = try browser.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
    #expect(answer.status == 303)
    #expect(answer.destination?["code"] != nil)
    let fields = page.all("Set-Cookie") + answer.all("Set-Cookie")
    #expect(fields.count == 3)
    for field in fields {
      let parts = field.split(separator: ";").map { $0.drop { $0 == " " } }
      #expect(parts.contains("HttpOnly") && parts.contains("Secure") && parts.contains("Path=/"))
      #expect(parts.contains("SameSite=Lax") || parts.contains("SameSite=Strict"))
      #expect(field.hasPrefix("__Host-") && !parts.contains { $0.hasPrefix("Domain") })
    }
    #expect(answer.first("Cache-Control") == "no-store")
    #expect(answer.first("Referrer-Policy") == "no-referrer")
    // On a trial server without TLS a cookie with Secure would never come back.
    let plain = try BackendFixture(issuer: nil)
    let field = try #require(try plain.send("GET", Asked().target).first("Set-Cookie"))
    #expect(!field.contains("Secure") && !field.contains("__Host-") && field.contains("HttpOnly"))
  }

  @Test("a name is the same however its accents were typed")
  func normalForms() throws {
    let fixture = try BackendFixture()
    var user = try #require(try fixture.store.user(named: "bob"))
    user.name = "jos\u{E9}@example.com"
    _ = try fixture.store.change(user, ending: nil, now: fixture.clock.now, denyUntil: nil)
    for name in ["jos\u{E9}@example.com", "jose\u{301}@example.com", "JOSE\u{301}@example.com"] {
      #expect(try Browser(fixture).authorize(Asked(), user: name).status == 303)
    }
    #expect(try Browser(fixture).authorize(Asked(), user: "jose@example.com").status == 401)
  }

  @Test("pages have the headers that keep them from being framed, cached and sniffed (RFC 9700 4.16)")
  func pageHeaders() throws {
    let fixture = try BackendFixture()
    for target in [Asked().target, Asked().with("client_id", "x").target, "/nothing", "/oauth/end_session"] {
      let page = try fixture.send("GET", target)
      #expect(page.mediaType == "text/html")
      let policy = page.first("Content-Security-Policy") ?? ""
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("script"))
      #expect(page.first("X-Frame-Options") == "DENY")
      #expect(page.first("X-Content-Type-Options") == "nosniff")
      #expect(page.first("Cache-Control") == "no-store")
      #expect(["no-referrer", "same-origin"].contains(page.first("Referrer-Policy")))
      #expect(!page.text.contains("<script"))
    }
  }

  @Test("no other origin may read an answer, but for the public keys")
  func noSharing() throws {
    let fixture = try BackendFixture(), origin = ["Origin: https://evil.example"]
    for (method, target) in [
      ("GET", Asked().target), ("POST", "/oauth/token"), ("POST", "/oauth/revoke"), ("GET", "/oauth/userinfo"),
      ("POST", "/oauth/introspect"), ("POST", "/oauth/logout"), ("OPTIONS", "/oauth/token"),
      ("GET", "/oauth/end_session"),
    ] {
      let answer = try fixture.send(method, target, headers: origin)
      #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") }, "\(method) \(target)")
    }
  }

  @Test("a form that is not from the page shown to this browser is refused", arguments: 0..<6)
  func foreignForm(_ how: Int) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let page = try browser.get(Asked().target), form = try #require(PageForm(page.text))
    let typed = [("username", "alice"), ("password", Registry.password), ("action", "sign-in")]
    var items = form.hidden + typed, address = form.address, headers: [String] = []
    switch how {
    case 0: items = typed
    case 1: browser.cookies = [:]
    case 2: items = [("csrf", String(form.hidden[0].1.reversed()))] + typed
    case 3: headers = ["Origin: https://evil.example"]
    case 4: headers = ["Sec-Fetch-Site: cross-site"]
    // The form of one request does not answer another one, such as one with another's challenge.
    default: address = Asked().with("code_challenge", String(repeating: "A", count: 43)).target
    }
    let answer = try browser.post(address, items, headers: headers)
    #expect(answer.status == 403)
    #expect(answer.first("Location") == nil)
    #expect(browser.cookies.keys.contains { $0.contains("session") } == false)
  }

  @Test("another browser's form, and a consent of another session, are refused")
  func othersForm() throws {
    let fixture = try BackendFixture(), mine = Browser(fixture), theirs = Browser(fixture)
    let page = try mine.get(Asked().target)
    _ = try theirs.get(Asked().target)
    let answer = try theirs.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
    #expect(answer.status == 403)
    let third = Asked("third", scope: "openid")
    let consent = try mine.authorize(third, user: "alice")
    _ = try theirs.authorize(Asked(), user: "bob")
    #expect(try theirs.submit(consent, "allow").status == 403)
    #expect(try fixture.store.consent(user: "user_bob", client: "third") == [])
  }

  @Test("a session that somebody planted is not the one that a sign-in makes")
  func fixation() throws {
    let fixture = try BackendFixture(), attacker = Browser(fixture), victim = Browser(fixture)
    _ = try attacker.authorize(Asked(), user: "bob")
    victim.cookies = attacker.cookies
    let asked = Asked().with("prompt", "login")
    _ = try victim.submit(
      victim.get(asked.target), "sign-in", [("username", "alice"), ("password", Registry.password)])
    let answer = try attacker.get(Asked().with("prompt", "none").target)
    #expect(answer.destination?["error"] == "login_required")
  }

  @Test("a wrong password and an unknown name get the same page, and a disabled user too")
  func sameWords() throws {
    let fixture = try BackendFixture()
    func page(_ name: String, _ password: String) throws -> String {
      let browser = Browser(fixture), page = try browser.authorize(Asked(), user: name, password: password)
      #expect(page.status == 401)
      #expect(page.first("Location") == nil)
      return page.text.replacing(/name="csrf" value="[^"]*"/, with: "").replacing(name, with: "NAME")
    }
    let wrong = try page("alice", "wrong")
    #expect(try page("nobody", "wrong") == wrong)
    var bob = try #require(try fixture.store.user(named: "bob"))
    bob.isDisabled = true
    _ = try fixture.store.change(bob, ending: nil, now: fixture.clock.now, denyUntil: nil)
    #expect(try page("bob", Registry.password) == wrong)
  }

  @Test("the page says what the apps' own sign-in forms say: title, fields, button and the words for what is wrong")
  func words() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let page = try browser.get(Asked().target)
    #expect(page.text.contains("<h1>Sign in</h1>"))
    let labels = page.text.matches(of: /<label for="[^"]+">([^<]+)<\/label>/).map { String($0.1) }
    #expect(labels == ["Email or username", "Password"])
    let buttons = page.text.matches(of: /<button [^>]*>([^<]+)<\/button>/).map { String($0.1) }
    #expect(buttons == ["Sign in", "Cancel"])
    #expect(try browser.submit(page, "sign-in").text.contains("Enter your email or username and your password."))
    #expect(try browser.authorize(Asked(), password: "wrong").text.contains(">Wrong email or password.<"))
  }

  @Test("cancelling is access_denied, and an empty form is shown again")
  func cancel() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let page = try browser.get(Asked().target)
    #expect(try browser.submit(page, "cancel").destination?["error"] == "access_denied")
    #expect(try browser.submit(page, "sign-in").status == 400)
    #expect(try browser.submit(page, "sign-in", [("username", "alice")]).status == 400)
    #expect(try browser.submit(page, "other").first("Location") == nil)
  }

  @Test(
    "a form that cannot be read is told on a page",
    arguments: [
      "/authorize", "/oauth/end_session", "/device", "/devices", "/password",
    ])
  func unreadableForm(_ path: String) throws {
    let fixture = try BackendFixture()
    for (type, body) in [
      ("application/x-www-form-urlencoded", "client_id=%zz"), ("application/x-www-form-urlencoded", "a=1&a=2"),
      ("application/json", "{}"),
    ] {
      try expectPage(try fixture.send("POST", path, headers: ["Content-Type: \(type)"], body: body))
    }
  }
}
