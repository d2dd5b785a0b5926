import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

@testable import AuthBackend

/// What needs nothing valid writes and tells little, however often it is asked for.
@Suite("Floods")
struct FloodTests {
  private func field(_ name: String, of record: AuditRecord?) -> String? {
    record?.fields.first { $0.name == name }?.value
  }

  private func records(_ fixture: BackendFixture, _ event: String) throws -> [AuditRecord] {
    try fixture.store.auditRecords(after: 0, limit: 10_000).filter { $0.event == event }
  }

  @Test("the first of a kind in a minute passes, and the next one after it says how many did not")
  func kinds() {
    let floods = Floods(perEvent: 3, capacity: 4), start = Timestamp(seconds: 1_000)
    func pass(_ kind: String, after seconds: Int64, share: Floods.Share = .ofEvent) -> Floods.Passage? {
      floods.pass("e", kind, share: share, now: start.advanced(by: seconds))
    }
    #expect(pass("a", after: 0) == .init(repeated: 0, others: 0))
    for second: Int64 in 0..<5 { #expect(pass("a", after: second * 10) == nil) }
    #expect(pass("b", after: 0) != nil && pass("c", after: 0) != nil)
    #expect(pass("d", after: 59) == nil, "there is no room for a fourth kind")
    #expect(pass("d", after: 59, share: .unbounded) == .init(repeated: 0, others: 1))
    #expect(floods.pass("other", "a", now: start) != nil, "another event has room of its own")
    #expect(pass("a", after: 60) == .init(repeated: 5, others: 0))
    #expect(pass("a", after: 60) == nil)
    // What is forgotten is still counted.
    #expect(pass("e", after: 300) == .init(repeated: 0, others: 1))
    #expect(pass("e", after: -1_000) != nil, "a clock that was set back begins anew")
  }

  @Test("a user has a few places for each event, and takes nobody else's")
  func users() {
    let floods = Floods(perEvent: 3, perUser: 2, capacity: 6), start = Timestamp(seconds: 1_000)
    func pass(_ kind: String, of user: String, after seconds: Int64 = 0) -> Floods.Passage? {
      floods.pass("e", kind, share: .ofUser(user), now: start.advanced(by: seconds))
    }
    #expect(["1", "2", "3", "4"].map { pass($0, of: "bob") != nil } == [true, true, false, false])
    #expect(["a", "b", "c"].map { pass($0, of: "alice") != nil } == [true, true, false])
    #expect(floods.pass("e", "x", now: start) != nil && floods.pass("e", "y", share: .unbounded, now: start) != nil)
    #expect(floods.pass("f", "1", share: .ofUser("bob"), now: start) != nil, "another event has places of its own")
    #expect(pass("5", of: "bob", after: 60) == .init(repeated: 0, others: 2))
    // Users by the thousand are forgotten as kinds are.
    for number in 0..<20 { #expect(pass("k\(number)", of: "u\(number)", after: 200 + Int64(number) * 60) != nil) }
  }

  @Test("where accounts are only named, some addresses have a few of their event's places")
  func addresses() {
    let floods = Floods(perEvent: 5, perAddresses: 2), start = Timestamp(seconds: 1_000)
    func pass(_ kind: String, from addresses: String, after seconds: Int64 = 0) -> Floods.Passage? {
      floods.pass("e", addresses + kind, share: .ofAddresses(addresses), now: start.advanced(by: seconds))
    }
    #expect(["1", "2", "3", "4"].map { pass($0, from: "a") != nil } == [true, true, false, false])
    #expect(pass("1", from: "b") == .init(repeated: 0, others: 2))
    #expect(pass("1", from: "a") == nil, "it is known")
    #expect(pass("2", from: "b") != nil && pass("3", from: "b") == nil)
    // They are the event's all the same: addresses by the thousand are no way around it.
    #expect(pass("1", from: "c") != nil && pass("1", from: "d") == nil && floods.pass("e", "x", now: start) == nil)
    #expect(pass("3", from: "a", after: 60) != nil && pass("4", from: "a", after: 60) != nil)
  }

  @Test("made-up requests from one place are one record a minute and a count")
  func madeUp() throws {
    let fixture = try BackendFixture(), device = Grant.deviceCode.rawValue
    var client = try #require(try fixture.store.client("app"))
    client.grants.insert(device)
    try fixture.store.put(client)
    let made = String(repeating: "A", count: 43)
    let poll = [("grant_type", device), ("client_id", "app"), ("device_code", "mfd_" + made)]
    func flood() throws {
      for number in 0..<50 {
        #expect(try fixture.send("GET", "/authorize?client_id=zzz\(number)").status == 400)
        #expect(try fixture.refresh("x\(number)").error == "invalid_grant")
        #expect(try fixture.redeem("x\(number)").error == "invalid_grant")
        #expect(try fixture.redeem("mfc_" + made).error == "invalid_grant")
        #expect(try fixture.post("/oauth/token", poll).error == "invalid_grant")
      }
    }
    try flood()
    let events = ["authorize.refused", "refresh.refused", "code.refused", "device-code.refused"]
    for event in events {
      #expect(try records(fixture, event).count == 1, "\(event)")
      #expect(fixture.events.named(event).count == 50, "each is told")
      #expect(fixture.backend.metricsText.contains("mfs_events_total{event=\"\(event)\"} 50\n"))
    }
    let all = try fixture.store.auditRecords(after: 0, limit: 10_000).count
    #expect(all < 20, "\(all) records")
    fixture.clock.advance(by: 60)
    try flood()
    for event in events {
      let found = try records(fixture, event)
      #expect(found.count == 2 && field("repeated", of: found.last) == "49", "\(event)")
    }
    #expect(fixture.events.alerts.isEmpty)
  }

  @Test("places by the thousand are no way around it")
  func manyPlaces() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    for number in 0..<150 {
      let from = "X-Forwarded-For: 2001:db8:0:\(String(number, radix: 16))::1"
      #expect(try fixture.send("GET", "/authorize?client_id=zzz", headers: [from]).status == 400)
    }
    #expect(try records(fixture, "authorize.refused").count == 60)
    fixture.clock.advance(by: 60)
    _ = try fixture.send("GET", "/authorize?client_id=zzz")
    #expect(field("others", of: try records(fixture, "authorize.refused").last) == "90")
  }

  @Test("a replay is recorded each time and told, whatever else comes, and however many another user raises")
  func replays() throws {
    let fixture = try BackendFixture(), own = try fixture.signIn(user: "bob")
    let families = try (0..<30).map { _ in try fixture.signIn() }
    for tokens in families {
      for _ in 0..<5 { #expect(try fixture.refresh("x").error == "invalid_grant") }
      _ = try Tokens(fixture.refresh(tokens.refresh))
      #expect(try fixture.refresh(tokens.refresh).error == "invalid_grant")
    }
    let found = try records(fixture, "refresh.refused").filter { field("reason", of: $0) == "replay" }
    #expect(Set(found.map { field("sid", of: $0) }) == Set(families.map(\.sid)))
    // Of one user's so many are told in a minute, and the rest is counted.
    #expect(Set(fixture.events.alerts.map { $0.fields["sid"] }) == Set(families.prefix(10).map(\.sid)))
    #expect(fixture.events.named("refresh.refused").count { $0.fields["ended"] != nil } == families.count)
    _ = try Tokens(fixture.refresh(own.refresh))
    #expect(try fixture.refresh(own.refresh).error == "invalid_grant")
    #expect(fixture.events.alerts.last?.fields["sid"] == own.sid)
    // Who has a token that is over may ask as often as anybody.
    for tokens in families {
      for _ in 0..<5 { #expect(try fixture.refresh(tokens.refresh).error == "invalid_grant") }
    }
    #expect(try records(fixture, "refresh.refused").count <= 2 * families.count + 2)
  }

  @Test("a replay at a sign-in that is over already is recorded, whatever else is refused in that minute")
  func hiddenReplays() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }, first = try fixture.signIn()
    #expect(try fixture.revoke(Tokens(fixture.refresh(first.refresh)).refresh).status == 200)
    for number in 0..<70 {
      #expect(try fixture.refresh("x", headers: ["X-Forwarded-For: 203.0.113.\(number)"]).error == "invalid_grant")
    }
    #expect(try records(fixture, "refresh.refused").count == 60)
    #expect(try fixture.refresh(first.refresh).error == "invalid_grant")
    let last = try records(fixture, "refresh.refused").last
    #expect(field("reason", of: last) == "replay" && field("sid", of: last) == first.sid)
    #expect(fixture.events.alerts.last?.fields["sid"] == first.sid)
  }

  @Test("made-up names from a few places keep no account's wrong passwords out of the audit log")
  func madeUpNames() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    func guess(_ user: String, from address: String) throws {
      let browser = Browser(fixture)
      browser.headers = ["X-Forwarded-For: \(address)"]
      #expect(try browser.authorize(Asked(), user: user, password: "wrong").status == 401)
    }
    for place in 0..<3 {
      // Of IPv6 a household has a /64.
      for number in 0..<21 { try guess("nobody\(number)", from: "2001:db8:0:\(place)::\(number)") }
    }
    try guess("alice", from: "203.0.113.7")
    let found = try records(fixture, "sign-in.failed")
    #expect(found.count == 16 && field("user", of: found.last) == "user_alice")
    #expect(field("others", of: found.last) == "16", "since the last that was recorded")
  }

  private func alerts(_ fixture: BackendFixture, _ name: String) -> Int {
    fixture.events.alerts.count { $0.name == name }
  }

  @Test("RL-01 requests at /authorize are limited by client and address, and that is told once")
  func authorizations() throws {
    let fixture = try BackendFixture { $0.authorizationRequestsPerClientAndAddress = 4 }
    let target = Asked().target
    for _ in 0..<4 { #expect(try fixture.send("GET", target).status == 200) }
    for method in ["GET", "HEAD", "POST", "GET", "GET"] {
      let answer = try fixture.send(
        method, target, headers: method == "POST" ? ["Content-Type: application/x-www-form-urlencoded"] : [],
        body: method == "POST" ? formText([("action", "sign-in"), ("username", "alice"), ("password", "x")]) : nil)
      #expect(answer.status == 429)
      #expect(Int(answer.first("Retry-After") ?? "").map { (1...60).contains($0) } == true)
    }
    #expect(alerts(fixture, "authorize.limited") == 1)
    #expect(fixture.events.named("authorize.limited").count == 5)
    #expect(try fixture.send("GET", Asked("other").target).status == 200, "another client has its own share")
    // Names of clients that are not there are one.
    var made: [Int] = []
    for number in 0..<6 { made.append(try fixture.send("GET", "/authorize?client_id=zzz\(number)").status) }
    #expect(made == [400, 400, 400, 400, 429, 429])
    #expect(try fixture.store.auditRecords(after: 0, limit: 100).allSatisfy { $0.event != "authorize.limited" })
  }

  @Test("RL-01 revocation, userinfo and sign-out are limited by address, each by itself")
  func calls() throws {
    let fixture = try BackendFixture { $0.callsPerAddress = 3 }
    let tokens = try fixture.signIn()
    let bearer = ["Authorization: Bearer \(tokens.access)"]
    let calls: [(String, () throws -> RawResponse)] = [
      ("userInfo", { try fixture.send("GET", "/oauth/userinfo", headers: bearer) }),
      ("logout", { try fixture.send("POST", "/oauth/logout", headers: ["Authorization: Bearer x"]) }),
      ("revoke", { try fixture.post("/oauth/revoke", [("token", "x"), ("client_id", "app")]) }),
    ]
    for (name, call) in calls {
      for _ in 0..<3 { #expect(try call().status != 429, "\(name)") }
      for _ in 0..<3 {
        let answer = try call()
        #expect(answer.status == 429 && answer.error == "slow_down" && answer.first("Retry-After") != nil, "\(name)")
      }
      #expect(fixture.events.alerts.count { $0.name == "call.limited" && $0.fields["endpoint"] == name } == 1)
    }
  }

  @Test("what is limited at the token endpoint and on the sign-in page is told once a minute and place")
  func limitsAreTold() throws {
    let fixture = try BackendFixture {
      $0.tokenRequestsPerClientAndAddress = 2
      $0.trustedProxies = ["127.0.0.1"]
    }
    for address in ["203.0.113.5", "203.0.113.6"] {
      for number in 0..<6 {
        #expect(try fixture.refresh("x", headers: ["X-Forwarded-For: \(address)"]).status == (number < 2 ? 400 : 429))
      }
      let browser = Browser(fixture)
      browser.headers = ["X-Forwarded-For: \(address)"]
      for _ in 0..<9 { _ = try browser.authorize(Asked(), password: "wrong") }
    }
    for name in ["token.limited", "sign-in.delayed"] {
      #expect(alerts(fixture, name) == 2, "\(name)")
      #expect(fixture.events.named(name).count > 2)
    }
    #expect(try records(fixture, "sign-in.delayed").count == 2)
    fixture.clock.advance(by: 60)
    for _ in 0..<3 { _ = try fixture.refresh("x", headers: ["X-Forwarded-For: 203.0.113.5"]) }
    let last = fixture.events.alerts.last { $0.name == "token.limited" }
    #expect(alerts(fixture, "token.limited") == 3 && last?.fields["repeated"] == "3")
  }
}
