import AuthBackend
import BackendStore
import Basics
import CSQLite
import HTTPTestSupport
import Testing

/// What an attestation showed is kept, and told the audit log, by the step that begins the sign-in or rotates its token: where that fails
/// there is neither, and the same credential is good again.
@Suite("an attested sign-in that fails half-way") struct AttestedInOneStepTests {
  let fixture: FlowFixture
  let device: DeviceDouble
  init() throws {
    fixture = try FlowFixture()
    device = DeviceDouble(fixture)
  }

  static let grants = ["authorization_code", Flow.deviceGrant, Flow.exchangeGrant]
  /// What a device shows.
  enum Kind: String, CaseIterable {
    case newKey, assertion, integrity

    /// What the verifier says of it.
    var verdict: String {
      switch self {
      case .newKey: "attested"
      case .assertion: "asserted"
      case .integrity: "MEETS_DEVICE_INTEGRITY"
      }
    }
  }
  /// What cannot be written, each by itself.
  static let faults = [
    "UPDATE OF verdict ON device": "1", "INSERT ON family": "1",
    "INSERT ON audit": "NEW.event IN ('attestation.verified', 'attestation.refused')",
  ]

  private func run(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(fixture.folder("auth.db"), &database) == SQLITE_OK,
      sqlite3_busy_timeout(database, 5_000) == SQLITE_OK, sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
    else { throw Flow.Problem("\(sql): \(String(cString: sqlite3_errmsg(database)))") }
  }

  private func without<R>(_ change: String, when: String, _ body: () throws -> R) throws -> R {
    try run("CREATE TRIGGER full BEFORE \(change) WHEN \(when) BEGIN SELECT raise(ABORT, 'full'); END")
    defer { try? run("DROP TRIGGER full") }
    return try body()
  }

  private func show(_ kind: Kind, _ grant: String, _ credential: String) throws -> [(String, String)] {
    switch kind {
    case .newKey: try device.attestation(grant, credential)
    case .assertion: try device.assertion(grant, credential)
    case .integrity: try device.integrity(grant, credential)
    }
  }

  /// A sign-in of alice's on the device, each time with an attestation of its own for one and the same credential.
  private func request(
    _ grant: String, client: String = "attested", user: String = "alice@example.com"
  ) throws -> (Kind) throws -> RawResponse {
    let fixture = fixture, device = device
    switch grant {
    case Flow.deviceGrant:
      let asked = try fixture.post(
        "/oauth/device_authorization", [("client_id", client), ("device_id", device.id)])
      let browser = FlowBrowser(fixture)
      let shown = try browser.press(
        "continue", on: browser.open("/device", as: user), [("user_code", asked["user_code"]?.string ?? "")])
      _ = try browser.press("allow", on: shown)
      let code = try #require(asked["device_code"]?.string)
      return { kind in
        try fixture.advance(by: 5)
        return try fixture.token(
          grant, [("device_code", code)] + show(kind, grant, code), client: client)
      }
    case Flow.exchangeGrant:
      let token = try fixture.provider.token([
        "aud": .string("phone.\(client)"), "sub": .string(user), "email": .string(user), "email_verified": true,
        "jti": .string("\(grant) \(user) \(try device.challenge())"),
      ])
      let items = [
        ("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1"),
      ]
      return { kind in try fixture.token(grant, items + show(kind, grant, token), client: client) }
    default:
      let code = try fixture.code(client, device: device.id, user: user)
      return { kind in try fixture.redeem(code, show(kind, grant, code), client: client) }
    }
  }

  private func enrol() throws -> String {
    let answer = try request("authorization_code")(.newKey)
    return try #require(answer["refresh_token"]?.string, "\(answer.text)")
  }

  /// Everything that a sign-in or a refresh changes.
  private func state() throws -> [String] {
    let records = try fixture.store.auditRecords(after: 0, limit: 10_000).map(\.event)
    let told = ["sign-in.completed", "attestation.verified", "attestation.refused", "family.ended"]
    let families = try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.now, limit: 100)
    let devices = try fixture.store.devices(user: nil, limit: 100)
    return records.filter { told.contains($0) } + families.map { "\($0.id) \($0.generation)" } + devices.map { "\($0)" }
  }

  @Test("leaves nothing behind, and is done again", arguments: grants, Kind.allCases)
  func aSignInIsOneStep(grant: String, kind: Kind) throws {
    if kind == .assertion { _ = try enrol() }
    let request = try request(grant), before = try state()
    for (change, when) in Self.faults {
      #expect(try without(change, when: when) { try request(kind).status } == 503, "\(change)")
      #expect(try state() == before, "\(change)")
    }
    let answer = try request(kind)
    #expect(answer.status == 200, "\(answer.text)")
    let kept = try #require(try fixture.store.device(user: "user_alice", id: device.id))
    #expect(kept.key?.counter == (kind == .integrity ? nil : Int64(device.counter)))
    #expect(kept.verdict?.text == kind.verdict)
    let count = kind == .assertion ? 2 : 1
    #expect(try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.now, limit: 10).count == count)
    for name in ["sign-in.completed", "attestation.verified"] {
      #expect(fixture.events(name).count == count, "\(name)")
      #expect(try state().count { $0 == name } == count, "\(name)")
    }
    for name in ["code.refused", "native.refused", "device-code.refused", "family.ended", "attestation.refused"] {
      #expect(fixture.events(name).isEmpty, "\(name)")
    }
    #expect(try request(kind).fault == "invalid_grant", "it is spent then")
  }

  /// Whose device it is, is known when the credential is: then nothing is granted, the credential is spent, and one record says so.
  @Test("is refused as one step too", arguments: grants)
  func aRefusalIsOneStep(grant: String) throws {
    _ = try enrol()
    device.counter = 4
    // The phone is alice's, and so is its key: bob shows it for a device of his with the same id.
    let request = try request(grant, user: "bob@example.com"), before = try state()
    let record = "NEW.event = 'attestation.refused'"
    #expect(try without("INSERT ON audit", when: record) { try request(.newKey).status } == 503)
    #expect(try state() == before)
    #expect(try request(.assertion).fault == "invalid_grant")
    #expect(fixture.events("attestation.refused").map(\.isAlert) == [true])
    #expect(fixture.last("attestation.refused", "reason") == "key-mismatch")
    #expect(fixture.last("attestation.refused", "user") == "user_bob")
    let after = try state()
    #expect(after.count == before.count + 1 && after.filter { $0 != "attestation.refused" } == before)
    #expect(try fixture.store.liveFamilies(user: "user_bob", device: nil, now: fixture.now, limit: 10).isEmpty)
    #expect(try fixture.store.device(user: "user_bob", id: device.id) == nil)
    #expect(try fixture.store.device(user: "user_alice", id: device.id)?.key?.counter == 0)
    #expect(fixture.events("family.ended").isEmpty && fixture.events("sign-in.completed").count == 1)
    #expect(try request(.newKey).fault == "invalid_grant", "it is spent")
  }

  @Test("or a refresh, leaves the token as it was") func aRefreshIsOneStep() throws {
    let token = try enrol(), before = try state()
    func refresh(counter: UInt8? = nil) throws -> RawResponse {
      try fixture.refresh(token, device.assertion("refresh_token", token, counter: counter), client: "attested")
    }
    let faults = ["UPDATE OF generation ON family": "1"].merging(Self.faults) { one, _ in one }
    for (change, when) in faults where !change.contains("INSERT ON family") {
      #expect(try without(change, when: when) { try refresh().status } == 503, "\(change)")
      #expect(try state() == before, "\(change)")
    }
    #expect(try refresh(counter: 1).status == 200, "the counter was not raised by what failed")
    #expect(try fixture.store.device(user: "user_alice", id: device.id)?.key?.counter == 1)
  }
}
