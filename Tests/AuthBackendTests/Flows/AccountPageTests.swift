@testable import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import Glibc
import HTTPTestSupport
import Testing

/// The pages for one's own account.
@Suite("account pages") struct AccountPageTests {
  static let new = "a new and longer password"
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func change(
    _ browser: FlowBrowser, _ page: RawResponse? = nil, old: String = FlowFixture.password, new: String = new,
    again: String? = nil, changing: [String: String] = [:], headers: [String] = []
  ) throws -> RawResponse {
    try browser.press(
      "change", on: page ?? browser.open("/password"),
      [("password", old), ("new-password", new), ("new-password-again", again ?? new)], changing: changing,
      headers: headers)
  }

  private func signedIn(_ browser: FlowBrowser? = nil, device: String? = nil) throws -> RawResponse {
    let items = device.map { [("device_id", $0)] } ?? []
    return try fixture.redeem(fixture.code(device: device, in: browser), items)
  }

  @Test("password change publishes to the revocation list") func aChangeEndsEverything() throws {
    let browser = FlowBrowser(fixture)
    let one = try signedIn(browser), two = try signedIn(device: "phone-1")
    let access = try [one, two].map { try #require($0["access_token"]?.string) }
    for token in access { #expect(try fixture.userInfo(token) == 200) }
    let before = try #require(try fixture.store.user(id: "user_alice")?.passwordHash)
    let unused = try fixture.code(in: browser)
    let answer = try change(browser)
    #expect(answer.status == 200 && answer.text.contains("Password changed"), "\(answer.text)")

    let user = try #require(try fixture.store.user(id: "user_alice"))
    #expect(user.passwordHash?.hasPrefix("$argon2id$") == true && user.passwordHash != before)
    #expect(user.passwordChangedAt == fixture.now)
    // The ids that resource servers ask for are there, and until the last access token is over.
    let sids = try access.map { try #require(try flowClaims($0)["sid"]?.string) }
    let denied = try fixture.store.denied(now: fixture.now)
    for sid in sids { #expect(denied[sid] == fixture.now.advanced(by: 660)) }
    for token in access { #expect(try fixture.userInfo(token) == 401) }
    for tokens in [one, two] {
      let refreshed = try fixture.refresh(
        try #require(tokens["refresh_token"]?.string),
        [("device_id", "phone-1")].filter { _ in tokens.body == two.body })
      #expect(refreshed.fault == "invalid_grant")
    }
    #expect(fixture.events("family.ended").filter { $0.fields.contains { $0.value == "password" } }.count == 2)
    #expect(fixture.last("password.changed", "ended") == "2")
    // A code that was not redeemed yet, and this browser's session, are over too.
    #expect(try fixture.redeem(unused).fault == "invalid_grant")
    #expect(browser.cookies["mfs-session"] == nil)
    let page = try browser.get("/password")
    #expect(try browser.signIn(page).status == 401)
    #expect(try browser.signIn(page, password: AccountPageTests.new).status == 303)
    let record = try fixture.store.auditRecords(after: 0, limit: 1_000).map { "\($0)" }.joined()
    #expect(!record.contains(AccountPageTests.new) && !record.contains(FlowFixture.password))
  }

  @Test func aPasswordThatWillNotDoIsRefused() throws {
    let browser = FlowBrowser(fixture), page = try browser.open("/password")
    let before = try fixture.store.user(id: "user_alice")
    let wrong: [(Int, String, String, String, String)] = [
      (401, "The current password is wrong.", "not it, not it", AccountPageTests.new, AccountPageTests.new),
      (400, "not the same", FlowFixture.password, AccountPageTests.new, AccountPageTests.new + " "),
      (400, "too short", FlowFixture.password, "elevenchars", "elevenchars"),
      // Six characters of two bytes each.
      (400, "too short", FlowFixture.password, "öööööö", "öööööö"),
      (400, "is the current one", FlowFixture.password, FlowFixture.password, FlowFixture.password),
      (400, "your name here", FlowFixture.password, "alice@example.com", "alice@example.com"),
      (400, "your name here", FlowFixture.password, "Alice@Example.COM", "Alice@Example.COM"),
      (
        400, "too long", FlowFixture.password, String(repeating: "a", count: 1_025),
        String(repeating: "a", count: 1_025)
      ),
      (400, "Fill in all three", FlowFixture.password, "", ""),
      (400, "Fill in all three", "", AccountPageTests.new, AccountPageTests.new),
    ]
    for (status, words, old, new, again) in wrong {
      let answer = try change(browser, page, old: old, new: new, again: again)
      #expect(answer.status == status && answer.text.contains(words), "\(words): \(answer.status) \(answer.text)")
      #expect(!answer.text.contains(AccountPageTests.new))
    }
    #expect(try fixture.store.user(id: "user_alice") == before)
    #expect(try change(browser, page, new: "öööööööööööö").status == 200)
  }

  @Test func theCurrentPasswordIsNotToBeGuessedHere() throws {
    let browser = FlowBrowser(fixture), page = try browser.open("/password")
    for _ in 0..<6 { #expect(try change(browser, page, old: "wrong, wrong").status == 401) }
    let held = try change(browser, page)
    #expect(held.status == 429 && held.text("Retry-After") == "2")
    try fixture.advance(by: 2)
    #expect(try change(browser, page).status == 200)
  }

  @Test func whatNobodyJudgedIsNoTry() throws {
    let fixture = try FlowFixture {
      $0.passwordWorkers = 1
      $0.passwordQueue = 0
    }
    let browser = FlowBrowser(fixture), page = try browser.open("/password")
    #expect(fixture.backend.passwords.enter())
    for _ in 0..<8 {
      let busy = try change(browser, page)
      #expect(busy.status == 503 && busy.text("Retry-After") == "2")
    }
    fixture.backend.passwords.leave()
    #expect(try change(browser, page).status == 200)
  }

  /// Who is signed in is known, whoever fills the queue: the current password is judged, and the new one is hashed.
  @Test func strangersWhoFillTheQueueKeepNobodyFromChangingIt() throws {
    let fixture = try FlowFixture {
      $0.passwordWorkers = 1
      $0.passwordQueue = 4
    }
    let browser = FlowBrowser(fixture), page = try browser.open("/password"), passwords = fixture.backend.passwords
    #expect(passwords.enter())
    let strangers = try (0..<3).map { _ in
      try Basics.Thread {
        guard passwords.enter() else { return }
        passwords.leave()
      }
    }
    let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
    while passwords.waiting < 3, MonotonicInstant.now() < deadline { usleep(1_000) }
    #expect(!passwords.enter(), "strangers have all of theirs")
    let worker = try Basics.Thread {
      while passwords.waiting < 4, MonotonicInstant.now() < deadline { usleep(1_000) }
      passwords.leave()
    }
    let status = try change(browser, page).status
    for thread in strangers + [worker] { thread.join() }
    #expect(status == 200)
  }

  /// The password is being hashed while an administrator shuts the account or sets another password: that stands.
  @Test(arguments: [true, false]) func whatAnAdministratorDoesMeanwhileStands(disables: Bool) throws {
    let browser = FlowBrowser(fixture), page = try browser.open("/password")
    let sid = try #require(try flowClaims(#require(try signedIn()["access_token"]?.string))["sid"]?.string)
    var alice = try #require(try fixture.store.user(id: "user_alice"))
    if disables { alice.isDisabled = true } else { alice.passwordHash = "$argon2id$another" }
    // The only worker is ours, so the request waits for it until the account is another.
    let passwords = fixture.backend.passwords, fixture = fixture, changed = alice
    #expect(passwords.enter())
    let sawItWait = Monitor(false)
    let administrator = try Basics.Thread {
      let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
      while passwords.waiting == 0, MonotonicInstant.now() < deadline { usleep(1_000) }
      sawItWait.withLock { $0 = passwords.waiting == 1 }
      _ = try? fixture.store.change(changed, ending: nil, now: fixture.now, denyUntil: nil)
      passwords.leave()
    }
    let response = try change(browser, page)
    administrator.join()
    #expect(sawItWait.withLock { $0 })
    #expect(response.status == 409 && response.text.contains("Not changed"))
    #expect(try fixture.store.user(id: "user_alice") == alice)
    #expect(try fixture.store.family(id: sid)?.end == nil)
    #expect(fixture.last("password.overtaken", "user") == "user_alice")
  }

  @Test func formsFromElsewhereDoNothing() throws {
    let browser = FlowBrowser(fixture), page = try browser.open("/password")
    #expect(try change(browser, page, changing: ["csrf": "x"]).status == 403)
    #expect(try change(browser, page, headers: ["Origin: https://evil.example"]).status == 403)
    let other = FlowBrowser(fixture)
    _ = try other.open("/password", as: "bob@example.com")
    #expect(try change(other, page).status == 403)
    #expect(try fixture.store.user(id: "user_alice")?.passwordHash == FlowFixture.cheapHash)
    // Without a session it is the sign-in page.
    #expect(try change(FlowBrowser(fixture), page).text.contains("Sign in to change your password."))
  }

  @Test func devicesAreListedAndRemoved() throws {
    let phone = try fixture.redeem(
      fixture.code(device: "phone-1"),
      [("device_id", "phone-1"), ("device_name", "Alice's <b>phone</b>"), ("device_platform", "ios")])
    let tablet = try signedIn(device: "tablet-1")
    let access = try [phone, tablet].map { try #require($0["access_token"]?.string) }
    let browser = FlowBrowser(fixture), page = try browser.open("/devices")
    #expect(page.text.contains("Alice&#39;s &lt;b&gt;phone&lt;/b&gt; (ios), since 2026-06-01"))
    #expect(page.text.contains("tablet-1"))
    let number = try #require(page.forms.firstIndex { $0.hidden.contains { $0 == ("device", "phone-1") } })
    let answer = try browser.press("remove", on: page, form: number)
    #expect(answer.status == 303 && answer.text("Location") == "/devices")
    #expect(try !browser.get("/devices").text.contains("phone"))
    #expect(try fixture.userInfo(access[0]) == 401)
    #expect(try fixture.userInfo(access[1]) == 200)
    #expect(
      try fixture.refresh(try #require(phone["refresh_token"]?.string), [("device_id", "phone-1")]).fault
        == "invalid_grant")
    let sid = try #require(try flowClaims(access[0])["sid"]?.string)
    #expect(try fixture.store.denied(now: fixture.now)[sid] != nil)
    #expect(fixture.last("device.removed", "device") == "phone-1")
    #expect(try browser.press("remove", on: page, form: number).status == 404)
  }

  /// Devices of one name are told apart, so that nobody removes the wrong one; what somebody calls a device passes for no other.
  @Test func noTwoButtonsSayTheSame() throws {
    let devices = [
      ("a-1f3c77", "Phone"), ("b-1f3c77", "Phone"), ("c", " phone"), ("a-tablet", "Tablet"), ("x-2", "Phone (id c)"),
      ("tv-1", String(repeating: "tv", count: 40)), ("tv-2", String(repeating: "tv", count: 41)),
    ]
    for (id, name) in devices {
      let answer = try fixture.redeem(fixture.code(device: id), [("device_id", id), ("device_name", name)])
      #expect(answer.status == 200, "\(answer.text)")
    }
    let browser = FlowBrowser(fixture), page = try browser.open("/devices")
    func buttons(_ page: RawResponse) -> [String] {
      page.text.matches(of: /<button name="action" value="remove">([^<]*)</).map { Flow.plain($0.1) }
    }
    let long = String(repeating: "tv", count: 32) + "\u{2026}"
    #expect(
      buttons(page).sorted()
        == [
          "Remove  phone (id c)", "Remove Phone (id a-1f3c77)", "Remove Phone (id b-1f3c77)",
          "Remove Phone (id c) (id x-2)", "Remove Tablet", "Remove \(long) (id tv-1)", "Remove \(long) (id tv-2)",
        ].sorted())
    // The line above says the same, and the button removes that one.
    let number = try #require(buttons(page).firstIndex(of: "Remove Phone (id b-1f3c77)"))
    #expect(page.text.contains("Phone (id b-1f3c77), since "))
    #expect(try browser.press("remove", on: page, form: number).status == 303)
    #expect(fixture.last("device.removed", "device") == "b-1f3c77")
    // The first of the rest is told apart by the end of its id.
    #expect(
      try fixture.redeem(fixture.code(device: "2-1f3c78"), [("device_id", "2-1f3c78"), ("device_name", "Phone")]).status
        == 200)
    #expect(try buttons(browser.get("/devices")).contains("Remove Phone (id \u{2026}1f3c78)"))
  }

  @Test func nobodyRemovesAnothersDevice() throws {
    let access = try #require(try signedIn(device: "phone-1")["access_token"]?.string)
    let stranger = FlowBrowser(fixture)
    let code = try fixture.post("/oauth/device_authorization", [("client_id", "app"), ("device_id", "tv-1")])
    let shown = try stranger.press(
      "continue", on: stranger.open("/device", as: "bob@example.com"), [("user_code", code["user_code"]?.string ?? "")])
    _ = try stranger.press("allow", on: shown)
    _ = try fixture.token(
      Flow.deviceGrant, [("device_code", code["device_code"]?.string ?? ""), ("device_id", "tv-1")])
    let page = try stranger.get("/devices")
    #expect(!page.text.contains("phone-1"))
    #expect(try stranger.press("remove", on: page, changing: ["device": "phone-1"]).status == 404)
    #expect(try stranger.press("remove", on: page, changing: ["csrf": "x"]).status == 403)
    #expect(try fixture.userInfo(access) == 200)
    #expect(try stranger.press("remove", on: page).status == 303)
  }
}
