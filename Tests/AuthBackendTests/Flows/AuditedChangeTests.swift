import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import CSQLite
import HTTPTestSupport
import Testing

/// What ends sign-ins stands in the audit log by the step that ends them: where the record cannot be written, nothing was done, and
/// the client is told to try again.
@Suite("changes and their records") struct AuditedChangeTests {
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func run(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    let path = fixture.folder("auth.db")
    try #require(sqlite3_open(path, &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  /// Does something while no record of an event can be written.
  private func without<R>(_ event: String, _ body: () throws -> R) throws -> R {
    try run(
      """
      CREATE TRIGGER broken BEFORE INSERT ON audit WHEN NEW.event = '\(event)'
      BEGIN SELECT raise(ABORT, 'broken'); END
      """)
    defer { try? run("DROP TRIGGER broken") }
    return try body()
  }

  private func records(_ event: String) throws -> Int {
    try fixture.store.auditRecords(after: 0, limit: 1_000).count { $0.event == event }
  }

  private func live() throws -> Int {
    try fixture.store.liveFamilies(user: "user_alice", device: nil, now: fixture.now, limit: 10).count
  }

  @Test(arguments: ["app", "watched"]) func aReplay(client: String) throws {
    let first = try #require(
      try fixture.redeem(fixture.code(client), client: client)["refresh_token"]?.string)
    let second = try #require(try fixture.refresh(first, client: client)["refresh_token"]?.string)
    #expect(try without("refresh.refused") { try fixture.refresh(first, client: client).status } == 503)
    #expect(try live() == 1 && records("refresh.refused") == 0)
    #expect(try fixture.refresh(first, client: client).fault == "invalid_grant")
    #expect(try live() == 0 && records("refresh.refused") == 1)
    #expect(fixture.events("refresh.refused").map(\.isAlert) == [true])
    #expect(fixture.last("refresh.refused", "ended") == "now")
    #expect(try fixture.refresh(second, client: client).fault == "invalid_grant")
    #expect(fixture.last("refresh.refused", "reason") == "ended")
    #expect(try records("refresh.refused") == 2 && fixture.events("refresh.refused").count == 2)
  }

  @Test func aCodeThatComesTwice() throws {
    let code = try fixture.code()
    #expect(try fixture.redeem(code).status == 200)
    #expect(try without("code.refused") { try fixture.redeem(code).status } == 503)
    #expect(try live() == 1)
    #expect(try fixture.redeem(code).fault == "invalid_grant")
    #expect(try live() == 0 && records("code.refused") == 1)
    #expect(fixture.events("code.refused").map(\.isAlert) == [true])
  }

  @Test func aRevocationAndALogout() throws {
    for isLogout in [false, true] {
      let answer = try fixture.redeem(fixture.code())
      let refresh = try #require(answer["refresh_token"]?.string), before = try records("family.ended")
      func end() throws -> Int {
        guard isLogout else {
          return try fixture.post("/oauth/revoke", [("client_id", "app"), ("token", refresh)]).status
        }
        let bearer = "Authorization: Bearer " + (answer["access_token"]?.string ?? "")
        return try fixture.send("POST", "/oauth/logout", headers: [bearer]).status
      }
      #expect(try without("family.ended") { try end() } == 503)
      #expect(try live() == 1 && records("family.ended") == before)
      #expect(try end() == (isLogout ? 204 : 200))
      #expect(try live() == 0 && records("family.ended") == before + 1)
    }
  }

  @Test(arguments: ["password.changed", "family.ended"]) func aNewPassword(event: String) throws {
    _ = try fixture.redeem(fixture.code())
    let before = try fixture.store.user(id: "user_alice"), new = AccountPageTests.new
    let browser = FlowBrowser(fixture), page = try browser.open("/password")
    let typed = [("password", FlowFixture.password), ("new-password", new), ("new-password-again", new)]
    #expect(try without(event) { try browser.press("change", on: page, typed).status } == 503)
    #expect(try fixture.store.user(id: "user_alice") == before)
    #expect(try live() == 1 && records("password.changed") == 0)
    #expect(try browser.press("change", on: page, typed).status == 200)
    #expect(try live() == 0 && records("password.changed") == 1 && records("family.ended") == 1)
  }

  @Test(arguments: ["user.created", "identity.linked"]) func aFirstSignInByAProvider(event: String) throws {
    let name = "carol@example.com"
    if event == "identity.linked" {
      try fixture.store.add(User(id: "user_carol", name: name, passwordHash: nil, createdAt: fixture.now))
    }
    func signIn(_ number: Int64) throws -> Int {
      let claims: [String: JSONValue] = ["email": .string(name), "email_verified": true, "jti": .integer(number)]
      let token = try fixture.provider.token(claims)
      return try fixture.token(
        Flow.exchangeGrant,
        [
          ("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1"),
        ]
      ).status
    }
    #expect(try without(event) { try signIn(0) } == 503)
    #expect(try fixture.store.user(named: name)?.id == (event == "identity.linked" ? "user_carol" : nil))
    #expect(try fixture.store.identityLinks(user: "user_carol").isEmpty && records(event) == 0)
    for number: Int64 in 1...2 { #expect(try signIn(number) == 200) }
    #expect(try records(event) == 1 && fixture.events(event).count == 1)
  }

  @Test(arguments: ["device.removed", "family.ended"]) func aDeviceThatIsRemoved(event: String) throws {
    _ = try fixture.redeem(fixture.code(device: "phone-1"), [("device_id", "phone-1")])
    let browser = FlowBrowser(fixture), page = try browser.open("/devices")
    #expect(try without(event) { try browser.press("remove", on: page).status } == 503)
    #expect(try fixture.store.device(user: "user_alice", id: "phone-1") != nil)
    #expect(try live() == 1 && records("device.removed") == 0)
    #expect(try browser.press("remove", on: page).status == 303)
    #expect(try live() == 0 && records("device.removed") == 1 && records("family.ended") == 1)
  }
}
