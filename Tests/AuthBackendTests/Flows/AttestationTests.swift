import AuthBackend
import BackendStore
import Basics
import HTTPTestSupport
import Testing

/// Attestation at the token endpoint: what the backend asks of challenges, keys, counters and the order of things. What a vendor's
/// evidence must be is the verifier's.
@Suite("attestation at the token endpoint") struct AttestationTests {
  let fixture: FlowFixture
  let device: DeviceDouble
  init() throws {
    fixture = try FlowFixture()
    device = DeviceDouble(fixture)
  }

  /// Signs the device in with a new key; the refresh token.
  private func enrol(_ device: DeviceDouble? = nil, client: String = "attested") throws -> String {
    let device = device ?? self.device
    let code = try fixture.code(client, device: device.id)
    let answer = try fixture.redeem(code, device.attestation("authorization_code", code), client: client)
    return try #require(answer["refresh_token"]?.string, "\(answer.text)")
  }

  private func refresh(_ token: String, _ items: [(String, String)], client: String = "attested") throws -> RawResponse
  {
    try fixture.refresh(token, items, client: client)
  }

  private func kept() throws -> Device { try #require(try fixture.store.device(user: "user_alice", id: device.id)) }

  private func isRefused(_ answer: RawResponse, _ reason: String) -> Bool {
    answer.status == 400 && answer.fault == "invalid_grant" && fixture.last("attestation.refused", "reason") == reason
  }

  @Test func aDeviceBringsAKeyAndThenShowsIt() throws {
    let first = try enrol()
    #expect(try kept().key == DeviceKey(id: device.keyID, publicKey: device.keyID, counter: 0))
    #expect(try kept().verdict == Device.Verdict("attested", at: fixture.now))
    try fixture.advance(by: 100)
    let second = try refresh(first, device.assertion("refresh_token", first))
    #expect(second.status == 200, "\(second.text)")
    #expect(try kept().key?.counter == 1)
    #expect(try kept().verdict == Device.Verdict("asserted", at: fixture.now))
    // At a sign-in a key that is kept may be shown as well.
    let code = try fixture.code("attested", device: device.id)
    #expect(try fixture.redeem(code, device.assertion("authorization_code", code), client: "attested").status == 200)
    #expect(try kept().key?.counter == 2)
    #expect(fixture.events("attestation.refused").isEmpty)
  }

  @Test func aVerdictOfGooglesIsKept() throws {
    let code = try fixture.code("attested", device: device.id)
    let answer = try fixture.redeem(code, device.integrity("authorization_code", code), client: "attested")
    let token = try #require(answer["refresh_token"]?.string)
    #expect(try kept().verdict?.text == "MEETS_DEVICE_INTEGRITY")
    #expect(try kept().key == nil)
    let next = try #require(
      try refresh(token, device.integrity("refresh_token", token))["refresh_token"]?.string)
    // Another genuine phone's key is not that device's, however often it is tried.
    for _ in 0..<2 {
      #expect(isRefused(try refresh(next, device.attestation("refresh_token", next)), "key-mismatch"))
    }
    #expect(try kept().key == nil)
    #expect(try refresh(next, device.integrity("refresh_token", next)).status == 200)
  }

  @Test("NA-02 challenges are good once, for a while, for one client") func challengesAreSpent() throws {
    let token = try enrol()
    let challenge = try device.challenge()
    #expect(try refresh(token, device.assertion("refresh_token", "other", challenge: challenge)).status == 400)
    #expect(
      isRefused(try refresh(token, device.assertion("refresh_token", token, challenge: challenge)), "challenge-spent"))
    let old = try device.challenge()
    try fixture.advance(by: 300)
    #expect(
      isRefused(try refresh(token, device.assertion("refresh_token", token, challenge: old)), "challenge-expired"))
    let another = try device.challenge(client: "watched")
    #expect(
      isRefused(try refresh(token, device.assertion("refresh_token", token, challenge: another)), "challenge-client"))
    let made = String(repeating: "A", count: 43)
    #expect(
      isRefused(try refresh(token, device.assertion("refresh_token", token, challenge: made)), "challenge-unknown"))
    #expect(
      isRefused(try refresh(token, device.assertion("refresh_token", token, challenge: "x")), "challenge-malformed"))
    let items = try device.assertion("refresh_token", token).filter { $0.0 != "attestation_challenge" }
    #expect(isRefused(try refresh(token, items), "challenge-missing"))
    #expect(try kept().verdict == Device.Verdict("refused: challenge-missing", at: fixture.now))
    // Each of these came before the rotation: the token is still the live one.
    let fresh = try device.challenge()
    try fixture.advance(by: 299)
    #expect(try refresh(token, device.assertion("refresh_token", token, challenge: fresh)).status == 200)
  }

  @Test("NA-02 assertion counter not rising") func countersOnlyRise() throws {
    var token = try enrol()
    token = try #require(
      try refresh(token, device.assertion("refresh_token", token, counter: 5))["refresh_token"]?.string)
    for counter: UInt8 in [5, 4, 0] {
      #expect(isRefused(try refresh(token, device.assertion("refresh_token", token, counter: counter)), "counter"))
      #expect(try kept().verdict == Device.Verdict("refused: counter", at: fixture.now))
    }
    #expect(try kept().key?.counter == 5)
    // The token is good, so it is an alert; equal ones within a minute are one.
    #expect(fixture.events("attestation.refused").map(\.isAlert) == [true, false, false])
    #expect(try refresh(token, device.assertion("refresh_token", token, counter: 6)).status == 200)
  }

  @Test("NA-02 what was made for another request") func evidenceIsBoundToItsRequest() throws {
    let token = try enrol()
    #expect(isRefused(try refresh(token, device.assertion("refresh_token", token + "x")), "signature"))
    #expect(isRefused(try refresh(token, device.assertion("authorization_code", token)), "signature"))
    // The wrong app: there the id of the client, in the vendor's evidence the hash of the app's id.
    #expect(isRefused(try refresh(token, device.assertion("refresh_token", token, app: "watched")), "signature"))
    var items = try device.assertion("refresh_token", token)
    items[0].1 = "phone-2"
    #expect(try refresh(token, items).fault == "invalid_grant")
    let code = try fixture.code("attested", device: device.id)
    let verdict = try device.integrity("authorization_code", code, other: "another code")
    #expect(isRefused(try fixture.redeem(code, verdict, client: "attested"), "request-nonce"))
    // The code is not spent: what is wrong with an attestation is seen first.
    #expect(try fixture.redeem(code, device.integrity("authorization_code", code), client: "attested").status == 200)
  }

  @Test func anotherKeyIsNotTheDevices() throws {
    let token = try enrol(), genuine = device.keyID
    // A thief with a genuine phone of his own attests a key there: that must not become the owner's device.
    device.keyID = digest([1, 2, 3])
    #expect(isRefused(try refresh(token, device.attestation("refresh_token", token)), "key-mismatch"))
    #expect(isRefused(try refresh(token, device.assertion("refresh_token", token)), "key-mismatch"))
    #expect(isRefused(try refresh(token, device.integrity("refresh_token", token)), "key-mismatch"))
    #expect(try kept().key?.id == genuine)
    // Signing in anew is the way to a new key, with the attestation of it.
    let code = try fixture.code("attested", device: device.id)
    #expect(
      isRefused(
        try fixture.redeem(code, device.assertion("authorization_code", code), client: "attested"), "key-mismatch"))
    #expect(try fixture.store.liveFamilies(user: "user_alice", device: nil, now: fixture.now, limit: 10).count == 1)
    _ = try enrol()
    #expect(try kept().key?.id == device.keyID)
    // Then the old one is not the device's any more.
    device.keyID = genuine
    #expect(isRefused(try refresh(token, device.assertion("refresh_token", token)), "key-mismatch"))
  }

  @Test func aKeyIsOneDevices() throws {
    let token = try enrol()
    // The same key for another device of hers: nothing is spent.
    let tablet = DeviceDouble(fixture, "tablet-1")
    tablet.keyID = device.keyID
    let code = try fixture.code("attested", device: tablet.id)
    #expect(
      isRefused(
        try fixture.redeem(code, tablet.attestation("authorization_code", code), client: "attested"), "key-taken"))
    #expect(fixture.events("code.refused").isEmpty)
    tablet.keyID = digest([4, 5, 6])
    #expect(
      try fixture.redeem(code, tablet.attestation("authorization_code", code), client: "attested").status == 200)
    // Somebody else on the same phone.
    let bobs = try fixture.code("attested", device: device.id, user: "bob@example.com")
    #expect(
      isRefused(
        try fixture.redeem(bobs, device.attestation("authorization_code", bobs), client: "attested"), "key-taken"))
    #expect(try fixture.store.device(user: "user_bob", id: device.id)?.key == nil)
    #expect(
      try fixture.store.liveFamilies(user: "user_bob", device: nil, now: fixture.now, limit: 10).isEmpty)
    #expect(try kept().key?.id == device.keyID)
    let next = try refresh(token, device.assertion("refresh_token", token))
    #expect(next.status == 200, "the owner's goes on")
    // With a key of his own he gets in.
    let phone = DeviceDouble(fixture, "phone-1")
    phone.keyID = digest([7, 8, 9])
    let again = try fixture.code("attested", device: phone.id, user: "bob@example.com")
    #expect(
      try fixture.redeem(again, phone.attestation("authorization_code", again), client: "attested").status == 200)
    #expect(try fixture.store.device(user: "user_bob", id: phone.id)?.key?.id == phone.keyID)
    // Where it is only watched, it is written down.
    let watched = DeviceDouble(fixture, "phone-2", client: "watched")
    watched.keyID = device.keyID
    let third = try fixture.code("watched", device: watched.id)
    #expect(
      try fixture.redeem(third, watched.attestation("authorization_code", third), client: "watched").status == 200)
    #expect(try fixture.store.device(user: "user_alice", id: watched.id)?.verdict?.text == "refused: key-taken")
  }

  /// What is wrong with an assertion is seen before the code: the app tries again with the same one, and nobody was signed in meanwhile.
  @Test func aFalseAssertionSpendsNoCode() throws {
    var token = try enrol()
    token = try #require(
      try refresh(token, device.assertion("refresh_token", token, counter: 5))["refresh_token"]?.string)
    let code = try fixture.code("attested", device: device.id), grant = "authorization_code"
    let begun = fixture.events("sign-in.completed").count
    func redeem(_ items: [(String, String)]) throws -> RawResponse {
      try fixture.redeem(code, items, client: "attested")
    }
    #expect(isRefused(try redeem(device.assertion(grant, "another code", counter: 6)), "signature"))
    #expect(isRefused(try redeem(device.assertion("refresh_token", code, counter: 6)), "signature"))
    #expect(isRefused(try redeem(device.assertion(grant, code, counter: 5)), "counter"))
    let stranger = DeviceDouble(fixture, "phone-2")
    #expect(isRefused(try redeem(stranger.assertion(grant, code)), "key-mismatch"))
    #expect(fixture.events("family.ended").isEmpty && fixture.events("code.refused").isEmpty)
    #expect(try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.now, limit: 10).count == 1)
    #expect(try redeem(device.assertion(grant, code, counter: 6)).status == 200)
    #expect(fixture.events("sign-in.completed").count == begun + 1)
    #expect(try kept().key?.counter == 6)
  }

  /// A thief who has the code and neither the phone nor the verifier: without the phone nothing is compared with the code, so nothing can
  /// be tried; with a phone of his own the first try spends it.
  @Test func aThiefsTriesAreNone() throws {
    _ = try enrol()
    let mallory = DeviceDouble(fixture, "phone-1")
    mallory.keyID = digest([6, 6, 6])
    let code = try fixture.code("attested", device: device.id)
    func steal(_ code: String, _ items: [(String, String)], verifier: String) throws -> RawResponse {
      try fixture.token(
        "authorization_code",
        [
          ("code", code), ("redirect_uri", "https://attested.example.com/oauth/callback"), ("code_verifier", verifier),
        ] + items, client: "attested")
    }
    let right = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", wrong = String(repeating: "a", count: 43)
    var made = Array(code)
    made[20] = made[20] == "A" ? "B" : "A"
    var answers: Set<String> = []
    for (code, verifier) in [(code, right), (code, wrong), (String(made), wrong)] {
      let answer = try steal(code, mallory.assertion("authorization_code", code), verifier: verifier)
      answers.insert("\(answer.status) \(answer.text)")
    }
    #expect(answers.count == 1, "the answer tells the verifier or the code")
    #expect(fixture.events("code.refused").isEmpty)
    #expect(try steal(code, mallory.attestation("authorization_code", code), verifier: wrong).fault == "invalid_grant")
    #expect(fixture.last("code.refused", "reason") == "mismatch")
    let owner = try fixture.redeem(code, device.assertion("authorization_code", code), client: "attested")
    #expect(owner.fault == "invalid_grant" && fixture.last("code.refused", "reason") == "replay")
  }

  /// A phone that two people share: the key that one of them brought is not the other's.
  @Test func anotherUsersKeyIsSeenWhenTheCodeIs() throws {
    _ = try enrol()
    let browser = FlowBrowser(fixture)
    let code = try fixture.code("attested", device: device.id, in: browser, user: "bob@example.com")
    let answer = try fixture.redeem(code, device.assertion("authorization_code", code), client: "attested")
    #expect(isRefused(answer, "key-mismatch"))
    #expect(try kept().key?.counter == 0)
    #expect(fixture.last("attestation.refused", "user") == "user_bob")
    #expect(fixture.events("family.ended").isEmpty && fixture.events("sign-in.completed").count == 1)
    let again = try fixture.redeem(code, device.attestation("authorization_code", code), client: "attested")
    #expect(again.fault == "invalid_grant")
  }

  @Test func withoutAnAttestationThereIsNothing() throws {
    let token = try enrol(), named = ("device_id", device.id)
    #expect(isRefused(try refresh(token, [named]), "missing"))
    #expect(isRefused(try refresh(token, [named, ("attestation_type", "safetynet")]), "type"))
    let both = try device.assertion("refresh_token", token) + [("attestation", "AAAA")]
    #expect(isRefused(try refresh(token, both), "missing"))
    let short = try device.assertion("refresh_token", token).map { $0.0 == "key_id" ? ($0.0, "AAAA") : $0 }
    #expect(isRefused(try refresh(token, short), "key-id"))
    let odd = try device.assertion("refresh_token", token).map { $0.0 == "assertion" ? ($0.0, "%%") : $0 }
    #expect(isRefused(try refresh(token, odd), "malformed"))
    let nowhere = try device.assertion("refresh_token", token).filter { $0.0 != "device_id" }
    #expect(isRefused(try refresh(token, nowhere), "device-missing"))
    let code = try fixture.code("attested", device: device.id)
    #expect(isRefused(try fixture.redeem(code, [named], client: "attested"), "missing"))
    // Base64 of the platforms' own is read too.
    let padded = try device.assertion("refresh_token", token).map { item in
      item.0 == "key_id" || item.0 == "assertion"
        ? (item.0, item.1.replacing("-", with: "+").replacing("_", with: "/") + "=") : item
    }
    #expect(try refresh(token, padded).status == 200)
  }

  @Test func aReplayIsSeenWithoutAnAttestation() throws {
    let first = try enrol()
    let second = try #require(
      try refresh(first, device.assertion("refresh_token", first))["refresh_token"]?.string)
    try fixture.advance(by: 11)
    #expect(try refresh(first, [("device_id", device.id)]).fault == "invalid_grant")
    #expect(fixture.last("refresh.refused", "reason") == "replay")
    #expect(try refresh(second, device.assertion("refresh_token", second)).fault == "invalid_grant")
  }

  @Test func graceIsForWhoAttests() throws {
    let first = try enrol()
    let second = try refresh(first, device.assertion("refresh_token", first))["refresh_token"]?.string
    let again = try refresh(first, device.assertion("refresh_token", first))
    #expect(again.status == 200 && again["refresh_token"]?.string == second)
    // Without it even within the grace it is a replay.
    #expect(try refresh(first, [("device_id", device.id)]).fault == "invalid_grant")
    #expect(fixture.last("refresh.refused", "reason") == "replay")
  }

  @Test func whoOnlyObservesRefusesNothing() throws {
    let device = DeviceDouble(fixture, client: "watched")
    let code = try fixture.code("watched", device: device.id)
    let answer = try fixture.redeem(code, [("device_id", device.id)], client: "watched")
    var token = try #require(answer["refresh_token"]?.string)
    #expect(try kept().verdict == Device.Verdict("refused: missing", at: fixture.now))
    #expect(fixture.events("attestation.refused").last?.isAlert == false)
    let attested = try refresh(token, device.attestation("refresh_token", token), client: "watched")
    token = try #require(attested["refresh_token"]?.string)
    #expect(try kept().verdict?.text == "attested")
    #expect(try kept().key?.id == device.keyID)
    #expect(try refresh(token, device.assertion("refresh_token", token, counter: 0), client: "watched").status == 200)
    #expect(try kept().verdict?.text == "refused: counter")
  }

  @Test func whoDoesNotAskGivesNoChallenge() throws {
    #expect(try fixture.post("/oauth/attestation_challenge", [("client_id", "app")]).fault == "unauthorized_client")
    #expect(try fixture.post("/oauth/attestation_challenge", [("client_id", "nobody")]).status == 401)
    let answer = try fixture.post("/oauth/attestation_challenge", [("client_id", "attested")])
    #expect(answer.text("Cache-Control") == "no-store" && answer["expires_in"] == 300)
    let challenges = [try device.challenge(), try device.challenge()]
    #expect(challenges[0] != challenges[1])
    #expect(try fixture.send("GET", "/oauth/attestation_challenge").status == 405)
  }

  @Test func aServerWithoutAVerifierTakesNobody() throws {
    let fixture = try FlowFixture(verifier: nil), device = DeviceDouble(fixture)
    let code = try fixture.code("attested", device: device.id)
    let answer = try fixture.redeem(code, device.attestation("authorization_code", code), client: "attested")
    #expect(answer.fault == "invalid_grant" && fixture.last("attestation.refused", "reason") == "not-verifiable")
  }
}
