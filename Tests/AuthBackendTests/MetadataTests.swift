@testable import AuthBackend
import BackendKeys
import Basics
import Glibc
import HTTPTestSupport
import Testing

@Suite("Metadata")
struct MetadataTests {
  @Test("MD-01 both documents say what is so, and each endpoint that they name answers")
  func documents() throws {
    let fixture = try BackendFixture(issuer: nil)
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
      let answer = try fixture.send("GET", path)
      #expect(answer.status == 200)
      #expect(answer.mediaType == "application/json")
      let json = try answer.json()
      let issuer = try #require(json["issuer"]?.string)
      #expect(issuer == fixture.issuer && !issuer.contains("?") && !issuer.contains("#"))
      #expect(json["response_types_supported"]?.strings == ["code"])
      #expect(json["code_challenge_methods_supported"]?.strings == ["S256"])
      for name in ["token", "revocation"] {
        #expect(json["\(name)_endpoint_auth_methods_supported"]?.strings?.contains("none") == true)
      }
      #expect(json["authorization_response_iss_parameter_supported"]?.isTrue == true)
      #expect(json["subject_types_supported"]?.strings == ["public"])
      #expect(json["id_token_signing_alg_values_supported"]?.strings?.isEmpty == false)
      #expect(json["request_parameter_supported"] == .bool(false))
      var endpoints = 0
      for member in try #require(json.members) where member.name.hasSuffix("_endpoint") || member.name == "jwks_uri" {
        let address = try #require(member.value.string)
        #expect(address.hasPrefix(issuer + "/"))
        let target = String(address.dropFirst(fixture.server.origin.utf8.count))
        let statuses = [try fixture.send("GET", target).status, try fixture.send("POST", target).status]
        #expect(!statuses.contains(404) && statuses.allSatisfy { $0 < 500 }, "\(member.name): \(statuses)")
        #expect(statuses != [405, 405], "\(member.name)")
        endpoints += 1
      }
      #expect(endpoints >= 7)
      #expect(json.members?.filter { $0.value.items?.isEmpty == true }.map(\.name) == [], "RFC 8414 3.2")
      #expect(json.members?.contains { $0.value == .null } == false)
    }
  }

  @Test("while one algorithm follows another both are named, so that no client refuses the tokens of either")
  func algorithms() throws {
    let before = try BackendFixture()
    var keys = KeyRingSettings()
    keys.algorithm = .rs256
    let fixture = try BackendFixture(after: (before, before.folder), keys: keys)
    func named() throws -> [String]? {
      try fixture.send("GET", "/.well-known/openid-configuration").json()["id_token_signing_alg_values_supported"]?
        .strings
    }
    func used() throws -> String? { try decoded(try fixture.signIn().id ?? "").header["alg"]?.string }
    #expect(try named() == ["EdDSA", "RS256"])
    #expect(try used() == "EdDSA")
    fixture.clock.advance(by: 2 * 3_600)
    try fixture.backend.keys.tick()
    #expect(try used() == "RS256")
    #expect(try named() == ["RS256"])
  }

  @Test("MD-02 an issuer with a path has its documents at both places", arguments: ["/tenant", "/a/b"])
  func path(_ path: String) throws {
    let fixture = try BackendFixture(issuer: "https://auth.example.com" + path)
    for place in ["/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration"] {
      let answer = try fixture.send("GET", place)
      #expect(answer.status == 200)
      #expect(try answer.json()["issuer"]?.string == fixture.issuer)
      #expect(try answer.json()["token_endpoint"]?.string == fixture.issuer + "/oauth/token")
    }
    for place in [
      "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/oauth/token", "/authorize",
      path + "x/oauth/token", path + "/.well-known/oauth-authorization-server",
    ] {
      #expect(try fixture.send("GET", place).status == 404, "\(place)")
    }
    var asked = Asked()
    asked.path = path + "/authorize"
    let answer = try Browser(fixture).authorize(asked)
    #expect(answer.destination?["iss"] == fixture.issuer)
    let tokens = try Tokens(fixture.redeem(try #require(answer.destination?["code"]), asked))
    #expect(try decoded(tokens.access).claims["iss"]?.string == fixture.issuer)
    #expect(try fixture.send("GET", path + "/.well-known/jwks.json").status == 200)
  }

  @Test(
    "an issuer that cannot be one is refused",
    arguments: [
      "http://auth.example.com", "https://auth.example.com/", "https://auth.example.com?x",
      "https://auth.example.com#x",
      "https://user@auth.example.com", "auth.example.com", "https://", "http://127.0.0.1.evil.example", "ftp://x",
      "https://auth.example.com/a b", "https://auth.example.com\n",
    ])
  func issuer(_ text: String) throws {
    #expect(throws: (any Error).self) { try BackendFixture(issuer: text) }
  }

  @Test("readiness is looked at once in a second however many ask, and what is wrong is told the operator")
  func readiness() throws {
    let fixture = try BackendFixture(), time = Monitor(MonotonicInstant.now()), looks = Monitor(0)
    let check = ReadinessCheck { time.withLock { $0 } }
    let found = try inParallel(16) { _ in
      check.isReady { () throws(Failure) in
        looks.withLock { $0 += 1 }
        throw Failure(.inputOutput, "no disk")
      }
    }
    #expect(found.allSatisfy { !$0 } && looks.withLock { $0 } == 1)
    time.withLock { $0 = $0.advanced(bySeconds: 1) }
    #expect(check.isReady { () throws(Failure) in looks.withLock { $0 += 1 } } && looks.withLock { $0 } == 2)

    try fixture.run("ALTER TABLE schema_version RENAME TO gone")
    #expect(try fixture.send("GET", "/readyz").status == 503)
    #expect(try fixture.send("GET", "/readyz").status == 503)
    let told = fixture.events.named("server.failure")
    #expect(told.map(\.isAlert) == [true] + told.dropFirst().map { _ in false })
    #expect(told.first?.fields["endpoint"] == "/readyz")
  }

  @Test("while somebody looks whether it is ready, what was found last counts for a few seconds and no longer")
  func slowReadiness() throws {
    let time = Monitor(MonotonicInstant.now()), state = Monitor((isLooking: false, mayEnd: false))
    let check = ReadinessCheck(patience: 5) { time.withLock { $0 } }
    func pass(_ seconds: Double) { time.withLock { $0 = $0.advanced(bySeconds: seconds) } }
    func ask() -> Bool { check.isReady { () throws(Failure) in Issue.record("a second look") } }
    #expect(check.isReady { () throws(Failure) in })
    // Nobody has asked for long; then the disk hangs.
    pass(3_600)
    let thread = try Basics.Thread {
      let isReady = check.isReady { () throws(Failure) in
        state.withLock { $0.isLooking = true }
        state.wait { $0.mayEnd ? () : nil }
      }
      #expect(isReady)
    }
    state.wait { $0.isLooking ? () : nil }
    #expect(ask())
    pass(4.9)
    #expect(ask())
    pass(0.1)
    #expect(!ask())
    pass(3_600)
    #expect(!ask())
    state.withLock { $0.mayEnd = true }
    thread.join()
    #expect(ask(), "it was slow, and is over")
  }

  @Test("the first who ask wait for the first look, and not for ever", .timeLimit(.minutes(1)))
  func hangingReadiness() throws {
    let state = Monitor((isLooking: false, mayEnd: false)), check = ReadinessCheck(patience: 0.2)
    let thread = try Basics.Thread {
      _ = check.isReady { () throws(Failure) in
        state.withLock { $0.isLooking = true }
        state.wait { $0.mayEnd ? () : nil }
      }
    }
    state.wait { $0.isLooking ? () : nil }
    let found = try inParallel(4) { _ in check.isReady { () throws(Failure) in Issue.record("a second look") } }
    #expect(found == [false, false, false, false])
    state.withLock { $0.mayEnd = true }
    thread.join()
  }

  @Test("health and readiness are told, and HEAD is GET without a body")
  func health() throws {
    let fixture = try BackendFixture()
    #expect(try fixture.send("GET", "/healthz").text == "ok\n")
    #expect(try fixture.send("GET", "/readyz").text == "ready\n")
    for path in ["/healthz", "/.well-known/openid-configuration", "/.well-known/jwks.json"] {
      let (get, head) = (try fixture.send("GET", path), try fixture.send("HEAD", path))
      #expect(head.status == get.status && head.body.isEmpty)
      #expect(head.first("Content-Length") == get.first("Content-Length"))
      #expect(try fixture.send("POST", path).first("Allow") == "GET, HEAD")
    }
  }
}
