@testable import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// What went wrong in other servers, as their users reported it: each test is named after that.
@Suite("Public reports")
struct PublicReportTests {
  private func bound(_ fixture: BackendFixture, _ token: String) throws -> RawResponse {
    try fixture.refresh(token, client: "bound", device: "dev-1")
  }

  private let device = Asked("bound").with("device_id", "dev-1")

  @Test("keycloak#46054: parallel refreshes slipped past the use counter")
  func useCounter() throws {
    let fixture = try BackendFixture(workers: 16)
    for _ in 0..<20 {
      let first = try fixture.signIn()
      let answers = try inParallel(8) { _ in try fixture.refresh(first.refresh) }
      #expect(answers.count { $0.status == 200 } == 1)
      #expect(try fixture.store.family(id: first.sid)?.generation == 1)
    }
  }

  @Test("hydra#3604: two refreshes of one token gave 400, 500 and 401 in changing mixes")
  func mixedErrors() throws {
    let fixture = try BackendFixture()
    for _ in 0..<50 {
      let first = try fixture.signIn()
      let answers = try inParallel(2) { _ in try fixture.refresh(first.refresh) }
      #expect(answers.map(\.status).sorted() == [200, 400])
      #expect(answers.first { $0.status == 400 }?.error == "invalid_grant")
    }
    #expect(fixture.events.named("server.failure").isEmpty)
  }

  @Test("hydra#1831: a lost answer left the app signed out")
  func lostAnswer() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn(device)
    try fixture.loseAnswer(toRefreshOf: first.refresh, client: "bound", device: "dev-1")
    fixture.clock.advance(by: 3)
    let second = try Tokens(bound(fixture, first.refresh))
    #expect(try bound(fixture, second.refresh).status == 200)
    #expect(fixture.events.alerts.isEmpty)
  }

  @Test("django-oauth-toolkit#702: the retry within the grace handed back a refresh token that was revoked already")
  func deadSuccessor() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn(device)
    _ = try Tokens(bound(fixture, first.refresh))
    for _ in 0..<3 {
      let again = try Tokens(bound(fixture, first.refresh))
      #expect(try fixture.live([again.refresh]) == [again.refresh])
    }
    let again = try Tokens(bound(fixture, first.refresh)), third = try Tokens(bound(fixture, again.refresh))
    #expect(try bound(fixture, third.refresh).status == 200)
    // And one that is revoked meanwhile is not handed back.
    let other = try fixture.signIn(device)
    _ = try Tokens(bound(fixture, other.refresh))
    #expect(try fixture.revoke(other.refresh, client: "bound").status == 200)
    #expect(try bound(fixture, other.refresh).error == "invalid_grant")
  }

  @Test("django-oauth-toolkit#1809: a family was revoked row by row, so that a replay cost more the longer it was")
  func costOfReplay() throws {
    let fixture = try BackendFixture(), changes = try RowChanges(fixture)
    func replay(afterRotations count: Int) throws -> [String: Int] {
      let first = try fixture.signIn()
      var last = first
      for _ in 0..<count { last = try Tokens(fixture.refresh(last.refresh)) }
      let changed = try changes.during { _ = try fixture.refresh(first.refresh) }
      #expect(try fixture.refresh(last.refresh).error == "invalid_grant")
      return changed
    }
    // However many spent tokens a family has, its one row changes, one denial is added and one record is written.
    for count in [1, 300] {
      #expect(try replay(afterRotations: count) == ["family": 1, "denial": 1, "audit": 1], "after \(count) rotations")
    }
    #expect(fixture.events.alerts.count == 2)
  }

  @Test("RL-03 keycloak#52783: a grant gave tokens to a locked account")
  func lockedAccount() throws {
    let fixture = try BackendFixture()
    var app = try #require(try fixture.store.client("app"))
    app.grants.insert(Grant.deviceCode.rawValue)
    try fixture.store.put(app)
    let tokens = try fixture.signIn(), browser = Browser(fixture), code = try fixture.code(in: browser)
    let asked = try fixture.post("/oauth/device_authorization", [("client_id", "app")]).json()
    let shown = try browser.submit(
      browser.get("/device"), "continue", [("user_code", asked["user_code"]?.string ?? "")])
    #expect(try browser.submit(shown, "allow").text.contains("Go back to your device"))
    let poll = [
      ("grant_type", Grant.deviceCode.rawValue), ("client_id", "app"),
      ("device_code", asked["device_code"]?.string ?? ""),
    ]
    var alice = try #require(try fixture.store.user(id: "user_alice"))
    alice.isDisabled = true
    // Not even where nothing was ended.
    _ = try fixture.store.change(alice, ending: nil, now: fixture.clock.now, denyUntil: nil)
    for answer in [
      try fixture.refresh(tokens.refresh), try fixture.redeem(code), try fixture.post("/oauth/token", poll),
    ] {
      #expect(answer.status == 400)
      #expect(answer.error == "invalid_grant")
    }
    #expect(try fixture.userInfo(tokens.access).status == 401)
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["error"] == "login_required")
    #expect(try Browser(fixture).authorize(Asked()).status == 401)
  }

  @Test(
    "keycloak#49109: several @ signs confused the parser of addresses",
    arguments: [
      "https://app.example@evil.example@app.example/cb", "https://evil.example@app.example/cb",
      "https://app.example/cb@evil.example", "https://@app.example/cb", "https://evil.example%40app.example/cb",
      "https://evil.example#@app.example/cb", "https://evil.example?@app.example/cb", "https://a@b@c@app.example/cb",
    ])
  func manyAtSigns(_ uri: String) throws {
    let fixture = try BackendFixture()
    try expectPage(try fixture.send("GET", Asked(redirect: uri).target))
    // Nor is a registered wildcard one: it is compared as it stands.
    var client = try #require(try fixture.store.client("app"))
    client.redirectURIs = ["https://app.example/*", "https://*.example/cb"]
    try fixture.store.put(client)
    try expectPage(try fixture.send("GET", Asked(redirect: uri).target))
    try expectPage(try fixture.send("GET", Asked(redirect: "https://app.example/cb").target))
  }

  @Test(
    "keycloak#48430: an address was matched by its beginning, past the end of the host",
    arguments: [
      "https://app.example.evil.example/cb", "https://app.example.evil.example", "https://app.examplecb",
      "https://app.example",
      "https://app.example/cb.evil.example", "https://app.example/cb/../x", "https://app.example/cb?x",
      "https://app.example:8443/cb",
    ])
  func prefixMatch(_ uri: String) throws {
    let fixture = try BackendFixture()
    try expectPage(try fixture.send("GET", Asked(redirect: uri).target))
    let tokens = try fixture.signIn()
    let bye = uri.replacing("/cb", with: "/bye")
    let target =
      "/oauth/end_session?" + formText([("id_token_hint", tokens.idToken), ("post_logout_redirect_uri", bye)])
    #expect(try fixture.send("GET", target).first("Location") == nil)
  }

  @Test(
    "authlib#119: revoking an unknown token was answered 400 instead of 200",
    arguments: [
      "unknown", "mfr_" + String(repeating: "A", count: 64), "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "é", "%00",
    ])
  func unknownToken(_ token: String) throws {
    let fixture = try BackendFixture()
    let answer = try fixture.revoke(token)
    #expect(answer.status == 200)
    let tokens = try fixture.signIn()
    for _ in 0..<2 { #expect(try fixture.revoke(tokens.refresh).status == 200) }
    fixture.clock.advance(by: 7_000)
    #expect(try fixture.revoke(tokens.access).status == 200, "one that is over is as good as revoked")
  }

  @Test("GHSA-cq42-vhv7-xr7p: wrong passwords of strangers locked an account")
  func lockedByStrangers() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    let owner = Browser(fixture)
    owner.headers = ["X-Forwarded-For: 198.51.100.1"]
    _ = try owner.authorize(Asked())
    owner.cookies = owner.cookies.filter { $0.key.contains("known") }
    for number in 0..<150 {
      let stranger = Browser(fixture)
      stranger.headers = ["X-Forwarded-For: 203.0.113.\(number)"]
      _ = try stranger.authorize(Asked(), password: "wrong")
    }
    #expect(try owner.authorize(Asked()).destination?["code"] != nil)
  }

  @Test("CVE-2025-64102: as it was installed, nothing slowed down who guessed passwords")
  func noLockoutByDefault() throws {
    let fixture = try BackendFixture()
    var statuses: [Int] = []
    for _ in 0..<12 { statuses.append(try Browser(fixture).authorize(Asked(), password: "wrong").status) }
    #expect(statuses.prefix(5).allSatisfy { $0 == 401 })
    #expect(statuses.last == 429)
  }

  @Test("nocturne#326: false alarms killed most sessions, and a rotation that was not one step forked families")
  func falseAlarms() throws {
    let fixture = try BackendFixture(workers: 16)
    var token = try fixture.signIn(device).refresh
    let sid = try Tokens(bound(fixture, token)).sid
    token = try Tokens(bound(fixture, token)).refresh
    // An honest device on a bad network asks three times at once, for a long time.
    for _ in 0..<40 {
      let asked = token
      let answers = try inParallel(3) { _ in try bound(fixture, asked) }.map { try Tokens($0).refresh }
      #expect(Set(answers).count == 1)
      token = answers[0]
      fixture.clock.advance(by: 600)
    }
    #expect(fixture.events.alerts.isEmpty)
    let live = try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.clock.now, limit: 100)
    #expect(live.map(\.id) == [sid])
    #expect(live.first?.generation == 41)
  }
}
