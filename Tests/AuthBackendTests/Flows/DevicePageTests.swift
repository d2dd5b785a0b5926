import BackendStore
import Basics
import HTTPTestSupport
import Testing

/// What the page for user codes withstands: guessing (RFC 8628 5.1), forms from elsewhere, markup.
@Suite("device page") struct DevicePageTests {
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func userCode(_ client: String = "app") throws -> String {
    let asked = try fixture.post("/oauth/device_authorization", [("client_id", client)])
    return try #require(asked["user_code"]?.string)
  }

  private func type(_ code: String, in browser: FlowBrowser) throws -> RawResponse {
    try browser.press("continue", on: browser.open("/device"), [("user_code", code)])
  }

  @Test func guessingIsHeldUp() throws {
    let good = try userCode(), browser = FlowBrowser(fixture)
    for number in 0..<6 { #expect(try type("BBBB-BBBB", in: browser).status == 404, "\(number)") }
    // The sixth was one too many: the next must wait, a good one too.
    let held = try type(good, in: browser)
    #expect(held.status == 429)
    #expect(held.text("Retry-After") == "5")
    #expect(held.text.contains("Try again in 5 seconds."))
    #expect(fixture.events("user-code.delayed").last?.isAlert == true)
    try fixture.advance(by: 5)
    #expect(try type("BBBB-BBBB", in: browser).status == 404)
    #expect(try type(good, in: browser).text("Retry-After") == "10")
    // Somebody else elsewhere is not held up.
    #expect(try type(good, in: FlowBrowser(fixture)).status == 200)
  }

  @Test func codesOfOnesOwnDoNotMakeGuessesFree() throws {
    let browser = FlowBrowser(fixture)
    for _ in 0..<6 { #expect(try type(userCode(), in: browser).status == 200) }
    #expect(try type("BBBB-BBBB", in: browser).status == 429)
  }

  @Test func newSessionsOfOneAccountShareItsGuesses() throws {
    for _ in 0..<7 {
      let browser = FlowBrowser(fixture)
      for _ in 0..<3 { #expect(try type("BBBB-BBBB", in: browser).status == 404) }
    }
    #expect(try type("BBBB-BBBB", in: FlowBrowser(fixture)).status == 429)
    // Thirty for an address: nine are left to others there.
    let other = FlowBrowser(fixture)
    let page = try other.open("/device", as: "bob@example.com")
    #expect(try other.press("continue", on: page, [("user_code", "BBBB-BBBB")]).status == 404)
  }

  @Test func accountsOfOneNetworkShareItsGuesses() throws {
    try fixture.store.add(
      User(id: "user_carol", name: "carol@example.com", passwordHash: FlowFixture.cheapHash, createdAt: fixture.now))
    func guess(_ user: String) throws -> Int {
      let browser = FlowBrowser(fixture), page = try browser.open("/device", as: user + "@example.com")
      return try browser.press("continue", on: page, [("user_code", "BBBB-BBBB")]).status
    }
    // A session each, so that neither its guesses nor those of an account are used up: only those of the network are.
    for user in ["alice", "bob"] {
      for _ in 0..<15 { #expect(try guess(user) == 404) }
    }
    #expect(try guess("carol") == 404, "the one that is one too many")
    #expect(try guess("carol") == 429)
    try fixture.advance(by: 5)
    #expect(try guess("carol") == 404)
  }

  @Test func guessesAreForgottenWhenCodesAndDelaysAreOver() throws {
    for (device, delay): (Int64, Int64) in [(600, 900), (1_200, 900)] {
      let fixture = try FlowFixture {
        $0.deviceCodeSeconds = device
        $0.userCodeDelayLimitSeconds = delay
      }
      let browser = FlowBrowser(fixture)
      func guess() throws -> Int {
        try browser.press("continue", on: browser.open("/device"), [("user_code", "BBBB-BBBB")]).status
      }
      for _ in 0..<5 { #expect(try guess() == 404) }
      try fixture.advance(by: max(device, delay) - 1)
      #expect(try guess() == 404)
      #expect(try guess() == 429, "six were counted")
      try fixture.advance(by: max(device, delay))
      for _ in 0..<6 { #expect(try guess() == 404) }
      #expect(try guess() == 429)
    }
  }

  @Test func nothingIsLookedUpForAPageThatIsAskedFor() throws {
    let code = try userCode(), browser = FlowBrowser(fixture)
    // Codes that are not there count for no guess by that.
    for _ in 0..<10 { #expect(try browser.open("/device?user_code=BBBB-BBBB").status == 200) }
    #expect(try browser.send("HEAD", "/device?user_code=" + code).status == 200)
    #expect(try type(code, in: browser).status == 200)
  }

  @Test func whatIsNoCodeIsNotCounted() throws {
    let browser = FlowBrowser(fixture)
    for text in ["", "AEIO-UAEI", "BBBB", "BBBB-BBBB-B", "0000-0000", String(repeating: "B", count: 500)] {
      for _ in 0..<3 { #expect(try type(text, in: browser).status == 400, "\(text)") }
    }
    #expect(try type(userCode(), in: browser).status == 200)
  }

  @Test func formsFromElsewhereDoNothing() throws {
    let code = try userCode(), plain = code.replacing("-", with: ""), browser = FlowBrowser(fixture)
    let shown = try type(code, in: browser)
    func isRefused(_ answer: RawResponse) -> Bool { answer.status == 403 }
    #expect(isRefused(try browser.press("allow", on: shown, changing: ["csrf": ""])))
    #expect(isRefused(try browser.press("allow", on: shown, changing: ["csrf": String(repeating: "A", count: 43)])))
    // The token is for this code, this browser and this session.
    let another = try userCode().replacing("-", with: "")
    #expect(isRefused(try browser.press("allow", on: shown, changing: ["user_code": another])))
    let stranger = FlowBrowser(fixture)
    _ = try stranger.open("/device", as: "bob@example.com")
    #expect(isRefused(try stranger.press("allow", on: shown)))
    #expect(isRefused(try browser.press("allow", on: shown, headers: ["Origin: https://evil.example"])))
    #expect(isRefused(try browser.press("allow", on: shown, headers: ["Sec-Fetch-Site: cross-site"])))
    let first = try browser.open("/device")
    let token = try #require(first.forms.first?.hidden.first { $0.0 == "csrf" }?.1)
    #expect(isRefused(try browser.press("allow", on: shown, changing: ["csrf": token])))
    #expect(try fixture.store.lookUp(userCode: plain, now: fixture.now)?.state == .pending)
    #expect(try browser.press("allow", on: shown).status == 200)
  }

  @Test func markupStaysText() throws {
    let browser = FlowBrowser(fixture), evil = "\"><script>alert(1)</script>"
    let page = try browser.open("/device?user_code=" + "%22%3E%3Cscript%3E")
    #expect(!page.text.contains("<script"))
    let typed = try browser.press("continue", on: page, [("user_code", evil)])
    #expect(typed.status == 400)
    #expect(!typed.text.contains("<script"))
    #expect(typed.text("Content-Security-Policy")?.contains("default-src 'none'") == true)
    #expect(typed.text("Cache-Control") == "no-store")
  }

  @Test func whoIsNotSignedInSignsInFirst() throws {
    let code = try userCode(), browser = FlowBrowser(fixture)
    let page = try browser.get("/device?user_code=" + code)
    #expect(page.text.contains("Sign in to let a device in."))
    #expect(!page.text.contains("The &lt;app&gt; app"))
    #expect(try browser.signIn(page, password: "wrong").status == 401)
    #expect(try browser.press("cancel", on: page).text.contains("Nothing was changed."))
    let signedIn = try browser.signIn(page)
    #expect(signedIn.status == 303)
    #expect(signedIn.text("Location") == "/device?user_code=" + code)
    // A session that is over decides nothing.
    let shown = try browser.press("continue", on: browser.get("/device"), [("user_code", code)])
    try fixture.store.endBrowserSessions(id: nil, user: "user_alice")
    #expect(try browser.press("allow", on: shown).text.contains("Sign in to let a device in."))
    #expect(try fixture.store.lookUp(userCode: code.replacing("-", with: ""), now: fixture.now)?.state == .pending)
  }
}
