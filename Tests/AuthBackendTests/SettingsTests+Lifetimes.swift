import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import JOSE
import Testing

extension SettingsTests {
  private static func life(_ token: String) throws -> Int64 {
    let claims = try decoded(token).claims
    return (claims["exp"]?.number ?? 0) - (claims["iat"]?.number ?? 0)
  }

  /// For how long something is good: looked at one second before its end, and at it.
  private static func ends(
    after seconds: Int64, _ fixture: BackendFixture, make: () throws -> String, isGood: (String) throws -> Bool
  ) throws {
    let (early, late) = (try make(), try make())
    fixture.clock.advance(by: seconds - 1)
    #expect(try isGood(early))
    fixture.clock.advance(by: 1)
    #expect(try !isGood(late))
  }

  static let lifetimes: [Row] = [
    Row("ACCESS_TOKEN_SECONDS: 61", "ID_TOKEN_SECONDS: 62") { (fixture, _) throws in
      let tokens = try fixture.signIn()
      #expect(tokens.json["expires_in"]?.number == 61)
      #expect(try life(tokens.access) == 61 && life(tokens.idToken) == 62)
    },
    Row("CODE_SECONDS: 20") { (fixture, _) throws in
      try ends(after: 20, fixture, make: { try fixture.code() }) { try fixture.redeem($0).status == 200 }
    },
    Row("FAMILY_SECONDS: 3600") { (fixture, _) throws in
      try ends(after: 3_600, fixture, make: { try fixture.signIn().refresh }) { try fixture.refresh($0).status == 200 }
    },
    Row("IDLE_SECONDS: 600") { (fixture, _) throws in
      try ends(after: 600, fixture, make: { try fixture.signIn().refresh }) { try fixture.refresh($0).status == 200 }
    },
    Row("BROWSER_SESSION_SECONDS: 60") { (fixture, _) throws in
      let browser = Browser(fixture), silent = Asked().with("prompt", "none").target
      _ = try browser.authorize(Asked())
      try ends(after: 60, fixture, make: { silent }) { try browser.get($0).destination?["code"] != nil }
    },
    Row("DEVICE_CODE_SECONDS: 60", "DEVICE_POLL_SECONDS: 7") { (fixture, _) throws in
      var client = Client(id: "tv", name: "A television", redirectURIs: [])
      client.grants.insert(Flow.deviceGrant)
      try fixture.store.put(client)
      func ask() throws -> JSONValue {
        let answer: RawResponse = try fixture.post("/oauth/device_authorization", [("client_id", "tv")])
        return try answer.json()
      }
      func poll(_ asked: JSONValue) throws -> String? {
        let code = asked["device_code"]?.string ?? ""
        let answer: RawResponse = try fixture.post(
          "/oauth/token", [("grant_type", Flow.deviceGrant), ("client_id", "tv"), ("device_code", code)])
        return answer.error
      }
      let patient = try ask(), hasty = try ask(), late = try ask()
      #expect(patient["expires_in"]?.number == 60 && patient["interval"]?.number == 7)
      for asked in [patient, hasty] { #expect(try poll(asked) == "authorization_pending") }
      fixture.clock.advance(by: 6)
      #expect(try poll(hasty) == "slow_down")
      fixture.clock.advance(by: 1)
      #expect(try poll(patient) == "authorization_pending")
      fixture.clock.advance(by: 52)
      #expect(try poll(patient) == "authorization_pending")
      fixture.clock.advance(by: 1)
      #expect(try poll(late) == "expired_token")
    },
    Row("ATTESTATION_CHALLENGE_SECONDS: 11") { (fixture, _) throws in
      var client = try #require(try fixture.store.client("app"))
      client.attestation = .require
      try fixture.store.put(client)
      func challenge() throws -> String {
        let answer: RawResponse = try fixture.post("/oauth/attestation_challenge", [("client_id", "app")])
        #expect(answer["expires_in"] == 11)
        return answer["challenge"]?.string ?? ""
      }
      try ends(after: 11, fixture, make: challenge) { text in
        let value = try #require(Base64URL.decode(text))
        let outcome = try fixture.store.spendChallenge(value, client: "app", now: fixture.clock.now)
        if case .good = outcome { return true } else { return false }
      }
    },
    // For whose clock is slow, a token is good so much longer, and is denied as long.
    Row("LEEWAY_SECONDS: 5") { (fixture, _) throws in
      try ends(after: 605, fixture, make: { try fixture.signIn().access }) { try fixture.userInfo($0).status == 200 }
      let tokens = try fixture.signIn()
      #expect(try fixture.revoke(tokens.refresh).status == 200)
      #expect(try fixture.store.denied(now: fixture.clock.now)[tokens.sid] == fixture.clock.now.advanced(by: 605))
    },
    Row("KEEP_SECONDS: 86400") { (fixture, configuration) throws in
      let tokens = try fixture.signIn()
      _ = try fixture.revoke(tokens.refresh)
      func prune() throws {
        try fixture.store.prune(now: fixture.clock.now, keepSeconds: configuration.running.keepSeconds)
      }
      fixture.clock.advance(by: 86_399)
      try prune()
      #expect(try fixture.store.family(id: tokens.sid) != nil)
      fixture.clock.advance(by: 1)
      try prune()
      #expect(try fixture.store.family(id: tokens.sid) == nil)
    },
  ]
}
