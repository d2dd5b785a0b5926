import BackendKeys
import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import HTTPServer
import HTTPTestSupport
import JOSE
import MFSResourceServer
import SecureMemory
import Testing

extension BackendFixture {
  /// Registers a resource server and returns its secret.
  func addResource(_ name: String = "orders", audience: String = "api") throws -> String {
    let secret = try ResourceSecret.make(), text = secret.withText { String(decoding: $0, as: UTF8.self) }
    let now = clock.now
    try store.put(
      ResourceServer(
        name: name, audience: audience, secret: try backend.peppers.hash(secret, now: now), createdAt: now))
    return text
  }

  /// The field `Authorization` of a name and a secret.
  static func basic(_ name: String, _ secret: String) -> String {
    "Authorization: Basic " + Data("\(name):\(secret)".utf8).base64EncodedString()
  }

  func introspect(_ token: String, by name: String = "orders", _ secret: String) throws -> RawResponse {
    try post("/oauth/introspect", [("token", token)], headers: [BackendFixture.basic(name, secret)])
  }

  func denials(by name: String = "orders", _ secret: String, after: String? = nil, headers: [String] = []) throws
    -> RawResponse
  {
    try send(
      "GET", "/oauth/denials" + (after.map { "?after=" + $0 } ?? ""),
      headers: [BackendFixture.basic(name, secret)] + headers)
  }
}

@Suite("Resource servers")
struct ResourceServerTests {
  @Test("introspection tells a resource server of access tokens that are for it alone (RFC 7662 2.2)")
  func introspection() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(Asked().with("device_id", "phone"))
    let secret = try fixture.addResource(), other = try fixture.addResource("other", audience: "other-api")
    let answer = try fixture.introspect(tokens.access, secret)
    #expect(answer.status == 200 && answer.first("Cache-Control") == "no-store")
    let json = try answer.json(), claims = try decoded(tokens.access).claims
    #expect(json["active"]?.isTrue == true && json["token_type"]?.string == "Bearer")
    for name in ["iss", "sub", "aud", "client_id", "scope", "jti", "exp", "iat", "sid", "device_id"] {
      #expect(json[name] != nil && json[name] == claims[name], "\(name)")
    }
    // By the form too.
    let posted = try fixture.post(
      "/oauth/introspect", [("token", tokens.access), ("client_id", "orders"), ("client_secret", secret)])
    #expect(try posted.json() == json)
    for token in [tokens.refresh, tokens.idToken, "x", tokens.access + "x"] {
      #expect(try fixture.introspect(token, secret).json() == ["active": .bool(false)])
    }
    #expect(try fixture.introspect(tokens.access, by: "other", other).json() == ["active": .bool(false)])
    #expect(try fixture.revoke(tokens.refresh).status == 200)
    #expect(try fixture.introspect(tokens.access, secret).json() == ["active": .bool(false)])
  }

  @Test("introspection calls no token of a disabled user active")
  func disabledUser() throws {
    let fixture = try BackendFixture(), secret = try fixture.addResource()
    let alice = try fixture.signIn(), bob = try fixture.signIn(user: "bob")
    var user = try #require(try fixture.store.user(named: "alice"))
    user.isDisabled = true
    // Nothing ends, so that only the look at the account can tell.
    _ = try fixture.store.change(user, ending: nil, now: fixture.clock.now, denyUntil: nil)
    #expect(try fixture.store.family(id: alice.sid)?.end == nil)
    #expect(try fixture.introspect(alice.access, secret).json() == ["active": .bool(false)])
    #expect(try fixture.introspect(bob.access, secret).json()["active"]?.isTrue == true)
    user.isDisabled = false
    _ = try fixture.store.change(user, ending: nil, now: fixture.clock.now, denyUntil: nil)
    #expect(try fixture.introspect(alice.access, secret).json()["active"]?.isTrue == true)
  }

  @Test("who is no resource server, or does not show its secret, is told nothing (RFC 7662 2.1)", arguments: 0..<10)
  func unauthorized(_ how: Int) throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(), secret = try fixture.addResource()
    let token = ("token", tokens.access)
    let cases: [(items: [(String, String)], headers: [String])] = [
      ([token, ("client_id", "app")], []), ([token], [BackendFixture.basic("app", "")]), ([token], []),
      ([token, ("client_id", "orders")], []), ([token], [BackendFixture.basic("orders", "")]),
      ([token], [BackendFixture.basic("orders", String(secret.reversed()))]),
      ([token], [BackendFixture.basic("Orders", secret)]), ([token], [BackendFixture.basic("orders", secret + "x")]),
      ([token, ("client_id", "orders"), ("client_secret", String(secret.dropLast()))], []),
      ([token], ["Authorization: Bearer \(tokens.access)"]),
    ]
    let answer = try fixture.post("/oauth/introspect", cases[how].items, headers: cases[how].headers)
    #expect(answer.status == 401 && answer.error == "invalid_client")
    #expect(answer.first("WWW-Authenticate")?.hasPrefix("Basic ") == true)
    let denials = try fixture.send("GET", "/oauth/denials", headers: cases[how].headers)
    #expect(denials.status == 401 && denials.error == "invalid_client")
    // Of who names nobody there is nothing to write down.
    let count = fixture.events.named("resource.refused").count
    #expect(count == [1, 2, 0, 1, 2, 2, 2, 2, 1, 0][how])
    #expect(try fixture.audited("resource.refused") == min(1, count), "one record a minute")
    #expect(fixture.events.all.allSatisfy { !"\($0)".contains(secret) })
  }

  @Test("two ways to show who asks, or two names, are one too many (RFC 6749 2.3)")
  func twice() throws {
    let fixture = try BackendFixture(), secret = try fixture.addResource()
    for items in [[("client_secret", secret)], [("client_id", "app")]] {
      let answer = try fixture.post(
        "/oauth/introspect", [("token", "x")] + items, headers: [BackendFixture.basic("orders", secret)])
      #expect(answer.status == 400 && answer.error == "invalid_request")
    }
    #expect(try fixture.introspect("", secret).error == "invalid_request")
    #expect(try fixture.send("GET", "/oauth/introspect").first("Allow") == "POST")
  }

  @Test("who guesses is held up, and nobody else: a right secret counts all the same")
  func limited() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }, secret = try fixture.addResource()
    func ask(_ secret: String, from address: String) throws -> RawResponse {
      try fixture.send(
        "GET", "/oauth/denials", headers: [BackendFixture.basic("orders", secret), "X-Forwarded-For: \(address)"])
    }
    let answers = try (0..<30).map { _ in try ask("wrong", from: "203.0.113.1") }
    #expect(answers.prefix(20).allSatisfy { $0.status == 401 })
    #expect(answers.suffix(5).allSatisfy { $0.status == 429 && $0.error == "slow_down" })
    #expect(answers.last.flatMap { Int($0.first("Retry-After") ?? "") } ?? 0 > 0)
    #expect(try fixture.audited("resource.refused") <= 25)
    #expect(try ask("wrong", from: "203.0.113.2").status == 401)
    #expect(try ask(secret, from: "203.0.113.1").status == 200)
    // How often one may ask is limited as token requests of a client are.
    let slow = try BackendFixture { $0.tokenRequestsPerClientAndAddress = 2 }, own = try slow.addResource()
    #expect(try (0..<3).map { _ in try slow.denials(own).status } == [200, 200, 429])
    #expect(try slow.denials(own, after: "").status == 429)
  }

  @Test(
    "a long list is read whole, however many parts it has and once while it is the same, by as many as may begin to read it at one address"
  )
  func longList() throws {
    let fixture = try BackendFixture(issuer: nil, at: .now()) { $0.tokenRequestsPerClientAndAddress = 5 }
    let secret = try fixture.addResource(), until = Timestamp.now().advanced(by: 600)
    _ = try inParallel(40) { thread in
      for number in 0..<500 { try fixture.store.deny("sess_\(1_000_000 + thread * 500 + number)", until: until) }
    }
    func answers(_ status: Int) -> String {
      let head = "mfs_responses_total{endpoint=\"denials\",status=\"\(status)\"} "
      let line = fixture.backend.metricsText.split(separator: "\n").first { $0.hasPrefix(head) }
      return line.map { String($0.dropFirst(head.utf8.count)) } ?? "0"
    }
    // Two programs that share the name, twice each: three parts, and then one answer that it is the same.
    let servers = try (0..<2).map { _ in
      try AuthorizationServer(
        issuer: fixture.issuer, name: "orders", secret: SecureBox(SecureBytes(publicText: secret)))
    }
    for server in servers {
      for _ in 0..<2 { #expect(try server.denied().count == 20_000) }
    }
    #expect(answers(200) == "6" && answers(304) == "2", "\(answers(200)), \(answers(304))")
    // A change in the last part is one of the list.
    try fixture.store.deny("sess_1019999", until: until.advanced(by: 1))
    #expect(try servers[0].denied()["sess_1019999"] == until.advanced(by: 1))
    #expect(answers(200) == "9" && answers(304) == "2")
    #expect(try fixture.denials(secret).status == 429, "it is how often one begins that is limited")
  }

  @Test("what is stored of a secret is a keyed hash, which follows the pepper that is used")
  func stored() throws {
    let fixture = try BackendFixture(), secret = try fixture.addResource()
    let before = try #require(try fixture.store.resourceServer("orders"))
    #expect(secret.hasPrefix("mfs_") && secret.utf8.count == 47)
    for name in ["auth.db", "auth.db-wal"] { #expect(try !contains(fixture.folder(name), secret)) }
    try fixture.advance(by: 91 * 86_400)
    try fixture.advance(by: 600)
    #expect(try fixture.denials("wrong").status == 401)
    #expect(try fixture.store.resourceServer("orders") == before)
    #expect(try fixture.denials(secret).status == 200)
    let after = try #require(try fixture.store.resourceServer("orders"))
    #expect(after.secret.pepper > before.secret.pepper && after.secret.bytes != before.secret.bytes)
    // The pepper of before is gone, and the secret counts.
    try fixture.advance(by: 366 * 86_400)
    try fixture.store.prune(now: fixture.clock.now, keepSeconds: 0)
    #expect(try fixture.denials(secret).status == 200)
    #expect(try fixture.store.removeResourceServer("orders"))
    #expect(try fixture.denials(secret).status == 401)
  }

  @Test("the list of what is denied says until when, is known again by its tag, and comes in parts when it is long")
  func denialList() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(), other = try fixture.signIn()
    let secret = try fixture.addResource(), now = fixture.clock.now
    let none = try fixture.denials(secret)
    #expect(try none.json()["denied"] == .object([]))
    #expect(none.status == 200 && none.first("Cache-Control") == "no-store" && none.mediaType == "application/json")
    let tag = try #require(none.first("ETag"))
    fixture.clock.advance(by: 3)
    let same = try fixture.denials(secret, headers: ["If-None-Match: \"x\", \(tag)"])
    #expect(same.status == 304 && same.body.isEmpty && same.first("ETag") == tag)
    #expect(same.first("Cache-Control") == "no-store")
    #expect(try fixture.revoke(tokens.refresh).status == 200)
    #expect(try fixture.revoke(other.access).status == 200)
    let answer = try fixture.denials(secret, headers: ["If-None-Match: \(tag)"]), json = try answer.json()
    #expect(answer.status == 200 && answer.first("ETag") != tag)
    #expect(json["at"]?.number == now.seconds + 3)
    let members = try #require(json["denied"]?.members)
    #expect(Set(members.map(\.name)) == [tokens.sid, other.jti])
    #expect(members.allSatisfy { ($0.value.number ?? 0) >= now.seconds + 600 })
    #expect(json["next"] == nil)
    let head = try fixture.send("HEAD", "/oauth/denials", headers: [BackendFixture.basic("orders", secret)])
    #expect(head.status == 200 && head.first("ETag") == answer.first("ETag") && head.body.isEmpty)
    let last = try #require(members.map(\.name).max())
    #expect(try fixture.denials(secret, after: last).json()["denied"] == .object([]))
  }

  @Test("a resource server in another place refuses what was revoked, and what it cannot ask about")
  func overTheNetwork() throws {
    let fixture = try BackendFixture(issuer: nil, at: .now()), secret = try fixture.addResource()
    let (one, two) = (try fixture.signIn(), try fixture.signIn())
    func resource(_ secret: String) throws -> (AuthorizationServer, ResourceVerifier<JWKSCache>) {
      let server = try AuthorizationServer(
        issuer: fixture.issuer, name: "orders", secret: SecureBox(SecureBytes(publicText: secret)))
      return (
        server,
        ResourceVerifier(
          issuer: server.issuer, audience: "api", keys: server.keys(), denials: server.denials(freshSeconds: 0))
      )
    }
    func refusal(_ verifier: ResourceVerifier<JWKSCache>, _ token: String) -> ResourceRefusal? {
      do throws(ResourceRefusal) {
        _ = try verifier.verify(authorization: "Bearer " + token)
        return nil
      } catch { return error }
    }
    let (server, verifier) = try resource(secret)
    for tokens in [one, two] { #expect(refusal(verifier, tokens.access) == nil) }
    #expect(try fixture.revoke(one.refresh).status == 200)
    #expect(refusal(verifier, one.access)?.reason == .denied)
    #expect(refusal(verifier, two.access) == nil)
    // Whoever's secret is wrong cannot tell, and takes nothing.
    let unknown = refusal(try resource(String(secret.reversed())).1, two.access)
    #expect(unknown?.status == 503 && unknown?.reason == .denialsUnavailable)
    #expect(unknown?.detail?.contains("401") == true && unknown?.detail?.contains("mfs-authd resource add") == true)
    // More than one answer has.
    let until = Timestamp.now().advanced(by: 600)
    _ = try inParallel(40) { thread in
      for number in 0..<500 { try fixture.store.deny("sess_\(1_000_000 + thread * 500 + number)", until: until) }
    }
    let all = try server.denied()
    #expect(all.count == 20_001 && all["sess_1019999"] == until && all[one.sid] != nil)
    #expect(refusal(verifier, two.access) == nil)
    #expect(try fixture.revoke(two.refresh).status == 200)
    #expect(refusal(verifier, two.access)?.reason == .denied)
  }

  /// What comes after `after` in lists that have no end.
  private static let endless: [@Sendable (_ after: String?) -> (denied: String, next: String)] = [
    { $0 == "a" ? (#""b":9"#, "b") : (#""a":9"#, "a") }, { ("", ($0 ?? "") + "a") }, { (#""a":9"#, ($0 ?? "") + "a") },
  ]

  @Test(
    "a list whose parts go round in a circle, or bring nothing new, is none", .timeLimit(.minutes(1)),
    arguments: endless.indices)
  func endlessList(_ kind: Int) throws {
    let parts = Monitor(0)
    let server = try Server { request in
      let (denied, next) = ResourceServerTests.endless[kind](request.target.queryValue("after"))
      parts.withLock { $0 += 1 }
      return ServerResponse(
        status: 200, headers: ["Content-Type": "application/json"], text: #"{"denied":{\#(denied)},"next":"\#(next)"}"#)
    }
    defer {
      server.stop(grace: 0)
      #expect(parts.withLock { $0 } <= 3)
    }
    let secret = SecureBox(try SecureBytes(publicText: "s"))
    let asked = try AuthorizationServer(issuer: server.origin, name: "orders", secret: secret)
    let failure = #expect(throws: Failure.self) { try asked.denied() }
    #expect(failure?.code == .serverRefused)
  }

  @Test(
    "an issuer that would be asked in the clear is none",
    arguments: ["http://auth.example.com", "https://auth.example.com/", "https://auth.example.com?x=1", "x"])
  func clear(_ issuer: String) throws {
    let secret = SecureBox(try SecureBytes(publicText: "s"))
    #expect(throws: Failure(.configuration, "")) { try AuthorizationServer(issuer: issuer, name: "a", secret: secret) }
  }
}
