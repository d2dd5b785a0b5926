import CSQLite
import HTTPTestSupport
import Testing

/// A sign-in is begun in one step: where it fails half-way, the same credential is good again.
@Suite("a sign-in that fails half-way") struct BegunInOneStepTests {
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func run(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(fixture.folder("auth.db"), &database) == SQLITE_OK,
      sqlite3_busy_timeout(database, 5_000) == SQLITE_OK, sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
    else { throw Flow.Problem("\(sql): \(String(cString: sqlite3_errmsg(database)))") }
  }

  /// What a client sends for a sign-in on `phone-1`.
  private func request(_ grant: String) throws -> () throws -> RawResponse {
    let device = [("device_id", "phone-1"), ("device_name", "My phone"), ("device_platform", "ios")], fixture = fixture
    switch grant {
    case Flow.deviceGrant:
      let asked = try fixture.post("/oauth/device_authorization", [("client_id", "app"), ("device_id", "phone-1")])
      let browser = FlowBrowser(fixture)
      let shown = try browser.press(
        "continue", on: browser.open("/device"), [("user_code", asked["user_code"]?.string ?? "")])
      _ = try browser.press("allow", on: shown)
      let code = try #require(asked["device_code"]?.string)
      return {
        try fixture.advance(by: 5)
        return try fixture.token(grant, [("device_code", code)] + device)
      }
    case Flow.exchangeGrant:
      let token = try fixture.provider.token(["email": "alice@example.com", "email_verified": true])
      let items = [
        ("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1"),
      ]
      return { try fixture.token(grant, items + device) }
    default:
      let code = try fixture.code(device: "phone-1")
      return { try fixture.redeem(code, device) }
    }
  }

  @Test("leaves nothing behind", arguments: ["authorization_code", Flow.deviceGrant, Flow.exchangeGrant])
  func aSignInIsOneStep(grant: String) throws {
    let request = try request(grant)
    // The disk is full for the device's row and for nothing else.
    try run("CREATE TRIGGER full BEFORE INSERT ON device BEGIN SELECT raise(ABORT, 'full'); END")
    for _ in 0..<2 { #expect(try request().status == 503) }
    let live = { try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.now, limit: 10).count }
    #expect(try live() == 0)
    try run("DROP TRIGGER full")
    let answer = try request()
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try live() == 1)
    let device = try #require(try fixture.store.device(user: "user_alice", id: "phone-1"))
    #expect(device.name == "My phone" && device.platform == "ios")
    for name in ["code.refused", "native.refused", "device-code.refused", "family.ended"] {
      #expect(fixture.events(name).isEmpty, "\(name)")
    }
    // Then it is spent.
    #expect(try request().status == 400)
  }
}
