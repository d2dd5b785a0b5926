import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import TestSupport
import Testing

/// What is good once is good once, however many ask at the same time. Each race is run 5 times, or `MFS_RACE_ROUNDS` times.
@Suite("races of the flows") struct FlowRaceTests {
  static let rounds = raceRounds(5)
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func atOnce(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> RawResponse
  ) throws -> [RawResponse] {
    let gate = Monitor(0), answers = Monitor<[RawResponse]>([])
    let threads = try (0..<count).map { number in
      try Basics.Thread {
        gate.withLock { $0 += 1 }
        gate.wait { $0 == count ? () : nil }
        if let answer = try? body(number) { answers.withLock { $0.append(answer) } }
      }
    }
    for thread in threads { thread.join() }
    return answers.withLock { $0 }
  }

  private func families() throws -> Int {
    try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.now, limit: 100_000).count
  }

  @Test func aDeviceCodeBeginsOneFamily() throws {
    for round in 1...FlowRaceTests.rounds {
      let asked = try fixture.post("/oauth/device_authorization", [("client_id", "app")])
      let code = try #require(asked["device_code"]?.string), userCode = try #require(asked["user_code"]?.string)
      let approved = try fixture.store.decide(
        userCode: userCode.replacing("-", with: ""), .approve(user: "user_alice", authTime: fixture.now),
        now: fixture.now)
      #expect(approved != nil)
      let fixture = fixture
      let answers = try atOnce(20) { _ in try fixture.token(Flow.deviceGrant, [("device_code", code)]) }
      #expect(answers.count == 20)
      #expect(answers.filter { $0.status == 200 }.count == 1)
      #expect(answers.filter { $0.status != 200 && $0.fault != "invalid_grant" && $0.fault != "slow_down" }.isEmpty)
      #expect(try families() == round)
    }
  }

  @Test func anIDTokenBeginsOneFamily() throws {
    for round in 1...FlowRaceTests.rounds {
      let token = try fixture.provider.token(["jti": .integer(Int64(round))]), fixture = fixture
      let answers = try atOnce(20) { _ in
        try fixture.token(
          Flow.exchangeGrant,
          [("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1")])
      }
      // More than eight at a time are told to try again.
      #expect(answers.count == 20)
      #expect(answers.filter { $0.status == 200 }.count == 1)
      #expect(answers.filter { ![200, 400, 503].contains($0.status) }.isEmpty)
      #expect(try families() == round)
    }
  }

  @Test func aNewUserIsMadeOnce() throws {
    for round in 1...FlowRaceTests.rounds {
      let subject = "new \(round)", fixture = fixture
      let tokens = try (0..<8).map { try fixture.provider.token(["sub": .string(subject), "jti": .integer($0)]) }
      let answers = try atOnce(8) { number in
        try fixture.token(
          Flow.exchangeGrant,
          [("subject_token", tokens[number]), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1")])
      }
      #expect(answers.filter { $0.status == 200 }.count == 8)
      let subjects = try answers.map { try flowClaims($0["access_token"]?.string)["sub"]?.string }
      #expect(Set(subjects).count == 1)
      #expect(try fixture.store.users().count == 2 + round)
      #expect(fixture.events("user.created").count == round)
    }
  }

  @Test func twoSubjectsDoNotShareAnAccount() throws {
    for round in 1...FlowRaceTests.rounds {
      let name = "user\(round)@example.com", fixture = fixture
      try fixture.store.add(User(id: "user_\(round)", name: name, passwordHash: nil, createdAt: fixture.now))
      let tokens = try (0..<4).map {
        try fixture.provider.token([
          "sub": .string("subject \(round) \($0)"), "email": .string(name), "email_verified": true,
        ])
      }
      let answers = try atOnce(4) { number in
        try fixture.token(
          Flow.exchangeGrant,
          [("subject_token", tokens[number]), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1")])
      }
      #expect(answers.count == 4)
      #expect(answers.filter { $0.status == 200 }.count <= 1)
    }
  }

  @Test func oneOfManyAssertionsWithACounterCounts() throws {
    for round in 1...FlowRaceTests.rounds {
      let device = DeviceDouble(fixture, "phone-\(round)"), fixture = fixture
      let code = try fixture.code("attested", device: device.id)
      let first = try fixture.redeem(code, device.attestation("authorization_code", code), client: "attested")
      let token = try #require(first["refresh_token"]?.string)
      // Each with a challenge of its own, all with the counter 1, and a code of its own to redeem.
      let requests = try (0..<10).map { _ -> (String, [(String, String)]) in
        let code = try fixture.code("attested", device: device.id)
        return (code, try device.assertion("authorization_code", code, counter: 1))
      }
      let answers = try atOnce(10) { number in
        try fixture.redeem(requests[number].0, requests[number].1, client: "attested")
      }
      #expect(answers.filter { $0.status == 200 }.count == 1)
      #expect(answers.filter { $0.fault == "invalid_grant" }.count == 9)
      // The others began nothing, not even what was ended again.
      #expect(try families() == 2 * round)
      #expect(fixture.events("sign-in.completed").count == 2 * round && fixture.events("family.ended").isEmpty)
      let next = try fixture.refresh(
        token, device.assertion("refresh_token", token, counter: 2), client: "attested")
      #expect(next.status == 200)
    }
  }
}
