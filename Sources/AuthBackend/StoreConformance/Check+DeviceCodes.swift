internal import BackendStore
internal import Basics

extension Check {
  private static func authorization(_ number: Int, code: String? = nil, device: String? = nil) -> DeviceAuthorization {
    DeviceAuthorization(
      hash: hash(700 + number), userCode: code ?? "CODE\(number)", client: "tv", device: device, scopes: ["a"],
      createdAt: start, expiresAt: at(600), intervalSeconds: 5)
  }

  private static func poll(_ number: Int, at seconds: Int64, family: Int? = nil) -> DevicePoll {
    DevicePoll(
      presented: [hash(1, pepper: 9), hash(700 + number)], client: "tv", device: nil, handle: handle(family ?? number),
      id: "sid-\(family ?? number)", first: hash((family ?? number) * 1_000), lifetimeSeconds: 1_000, idleSeconds: 100,
      now: at(seconds))
  }

  /// Sign-in on a device without a browser (RFC 8628), and what is good once.
  static let deviceCodes: [Check] = [
    Check("device-code", "a device that asks is answered pending until the user approves, and then gets one family") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.store.add(authorization(1))
      probe.expectEqual(try probe.store.poll(poll(1, at: 5)), .pending, "the first question")
      probe.expectEqual(try probe.another().poll(poll(1, at: 10)), .pending, "the second question")
      var approved = authorization(1)
      (approved.state, approved.user, approved.authTime, approved.polledAt) = (.approved, "u1", at(8), at(10))
      let decided = try probe.store.decide(userCode: "CODE1", .approve(user: "u1", authTime: at(8)), now: at(11))
      probe.expectEqual(decided, approved, "what was decided")
      let outcome = try probe.another().poll(poll(1, at: 15))
      guard case .granted(let family, let code, _) = outcome else { return probe.report("after approval: \(outcome)") }
      (approved.state, approved.polledAt) = (.redeemed, at(15))
      probe.expectEqual(code, approved, "the device code that was granted")
      let expected = Family(
        id: "sid-1", handle: handle(1), user: "u1", client: "tv", device: nil, scopes: ["a"], authTime: at(8),
        createdAt: at(15), expiresAt: at(1_015), idleSeconds: 100, current: hash(1_000))
      probe.expectEqual(family, expected, "the family")
      probe.expectEqual(try probe.another().family(id: "sid-1"), expected, "the family that is read")
      probe.expectEqual(try probe.store.poll(poll(1, at: 30, family: 2)), .unknown, "a device code that was redeemed")
      probe.expect(try probe.store.family(id: "sid-2") == nil, "a device code was redeemed twice")
    },
    Check(
      "device-code-slow", "who asks too soon is told to wait five seconds more each time, before and after approval"
    ) {
      probe throws(Failure) in
      try probe.addUser()
      try probe.store.add(authorization(1))
      let steps: [(Int64, PollOutcome)] = [
        (0, .pending), (4, .slowDown(intervalSeconds: 10)), (13, .slowDown(intervalSeconds: 15)), (28, .pending),
      ]
      for (seconds, expected) in steps {
        probe.expectEqual(try probe.another().poll(poll(1, at: seconds)), expected, "the question at \(seconds)")
      }
      _ = try probe.store.decide(userCode: "CODE1", .approve(user: "u1", authTime: at(30)), now: at(30))
      probe.expectEqual(
        try probe.store.poll(poll(1, at: 40)), .slowDown(intervalSeconds: 20), "too soon after approval")
      guard case .granted = try probe.store.poll(poll(1, at: 60)) else { return probe.report("it was not granted") }
    },
    Check("device-code-prune", "an hour after its time a device code is gone, however long other things are kept") {
      probe throws(Failure) in
      try probe.store.add(authorization(1))
      try probe.store.prune(now: at(600 + 3_599), keepSeconds: 1_000_000)
      probe.expectEqual(try probe.store.poll(poll(1, at: 4_199)), .expired, "within the hour")
      try probe.store.prune(now: at(600 + 3_600), keepSeconds: 1_000_000)
      probe.expectEqual(try probe.store.poll(poll(1, at: 4_200)), .unknown, "after it")
      try probe.store.add(authorization(2))
      try probe.store.prune(now: at(610), keepSeconds: 10)
      probe.expectEqual(try probe.store.poll(poll(2, at: 611)), .unknown, "where things are kept for less")
    },
    Check("device-code-refused", "no, too late, unknown, another client, another device, a disabled user") {
      probe throws(Failure) in
      try probe.addUser()
      for number in 1...3 { try probe.store.add(authorization(number)) }
      _ = try probe.store.decide(userCode: "CODE1", .deny, now: at(1))
      probe.expectEqual(try probe.store.poll(poll(1, at: 10)), .denied, "a user who said no")
      probe.expectEqual(try probe.store.poll(poll(2, at: 599)), .pending, "one second before the end")
      probe.expectEqual(try probe.store.poll(poll(2, at: 600)), .expired, "at the end")
      probe.expectEqual(try probe.store.poll(poll(9, at: 10)), .unknown, "a device code made up")
      var strange = poll(3, at: 10)
      strange.client = "other"
      probe.expectEqual(try probe.store.poll(strange), .client, "another client")
      strange = poll(3, at: 10)
      strange.device = "d1"
      probe.expectEqual(try probe.store.poll(strange), .device, "another device")
      _ = try probe.store.decide(userCode: "CODE3", .approve(user: "u1", authTime: at(9)), now: at(10))
      guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      probe.expectEqual(try probe.store.poll(poll(3, at: 11)), .user("u1"), "a disabled user")
      user.isDisabled = false
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      probe.expectEqual(try probe.store.poll(poll(3, at: 30)), .unknown, "the device code after that")
    },
    Check("user-code", "a user code is looked up and decided while it is pending, once, and unique so long") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.store.add(authorization(1))
      for look in 1...2 {
        let found = try probe.another().lookUp(userCode: "CODE1", now: at(1))
        probe.expectEqual(found, authorization(1), "look \(look)")
      }
      probe.expect(try probe.store.lookUp(userCode: "code1", now: at(1)) == nil, "a user code is found by another")
      probe.expect(try probe.store.lookUp(userCode: "CODE1", now: at(600)) == nil, "a user code is found at its end")
      probe.expect(try probe.store.decide(userCode: "CODE1", .deny, now: at(600)) == nil, "it is decided at its end")
      probe.expectFailure(.exists, "a user code that is in use") { () throws(Failure) in
        try probe.store.add(authorization(2, code: "CODE1"))
      }
      probe.expectFailure(.exists, "a device code that is there") { () throws(Failure) in
        try probe.store.add(authorization(1, code: "OTHER"))
      }
      probe.expect(try probe.store.decide(userCode: "CODE1", .deny, now: at(2)) != nil, "it was not decided")
      for decision in [DeviceDecision.deny, .approve(user: "u1", authTime: at(1))] {
        probe.expect(try probe.store.decide(userCode: "CODE1", decision, now: at(3)) == nil, "it was decided twice")
      }
      probe.expect(try probe.store.lookUp(userCode: "CODE1", now: at(3)) == nil, "it is found after it was decided")
      try probe.store.add(authorization(3, code: "CODE1"))
      probe.expect(try probe.store.lookUp(userCode: "CODE1", now: at(3)) != nil, "a user code cannot be used again")
    },
  ]

  /// What may be tried only so often.
  static let attempts: [Check] = [
    Check("attempts", "some attempts are free, then each one doubles the wait, up to a limit; success forgets it") {
      probe throws(Failure) in
      let rule = AttemptRule(
        key: "u1/ip", free: 2, firstDelaySeconds: 10, maximumDelaySeconds: 30, forgetSeconds: 1_000)
      func attempt(_ seconds: Int64, _ outcome: AttemptOutcome) throws(Failure) {
        probe.expectEqual(try probe.another().attempt([rule], now: at(seconds)), outcome, "the attempt at \(seconds)")
      }
      try attempt(0, .allowed(count: 1))
      try attempt(0, .allowed(count: 2))
      try attempt(0, .allowed(count: 3))
      try attempt(9, .wait(until: at(10)))
      try attempt(9, .wait(until: at(10)))
      try attempt(10, .allowed(count: 4))
      try attempt(29, .wait(until: at(30)))
      try attempt(30, .allowed(count: 5))
      try attempt(59, .wait(until: at(60)))
      try attempt(60, .allowed(count: 6))
      try probe.store.forgetAttempts(["nothing", "u1/ip"])
      try attempt(61, .allowed(count: 1))
      try attempt(1_060, .allowed(count: 2))
      try attempt(2_060, .allowed(count: 1))
    },
    Check("attempts-clock", "a clock that was ahead makes nobody wait longer than the rule does") {
      probe throws(Failure) in
      let rule = AttemptRule(key: "a", free: 1, firstDelaySeconds: 10, maximumDelaySeconds: 40, forgetSeconds: 900)
      func attempt(_ seconds: Int64, _ outcome: AttemptOutcome) throws(Failure) {
        probe.expectEqual(try probe.another().attempt([rule], now: at(seconds)), outcome, "the attempt at \(seconds)")
      }
      try attempt(100_000, .allowed(count: 1))
      try attempt(100_000, .allowed(count: 2))
      try attempt(0, .wait(until: at(40)))
      try attempt(30, .wait(until: at(40)))
      try attempt(40, .allowed(count: 3))
      try attempt(59, .wait(until: at(60)))
      try attempt(60, .allowed(count: 4))
      try attempt(99, .wait(until: at(100)))
    },
    Check("attempts-taken-back", "an attempt that is taken back does not count, and those before it do") {
      probe throws(Failure) in
      let rule = AttemptRule(key: "a", free: 2, firstDelaySeconds: 10, maximumDelaySeconds: 90, forgetSeconds: 900)
      func attempt(_ seconds: Int64, _ outcome: AttemptOutcome) throws(Failure) {
        probe.expectEqual(try probe.store.attempt([rule], now: at(seconds)), outcome, "the attempt at \(seconds)")
      }
      for number: Int64 in 1...2 { try attempt(0, .allowed(count: number)) }
      for _ in 0..<3 {
        try attempt(0, .allowed(count: 3))
        try probe.another().takeBackAttempt(["nothing", "a"])
      }
      try attempt(0, .allowed(count: 3))
      try attempt(9, .wait(until: at(10)))
    },
    Check("attempts-several", "where one of several rules makes wait, none of them counts") { probe throws(Failure) in
      let tight = AttemptRule(key: "a", free: 1, firstDelaySeconds: 50, maximumDelaySeconds: 50, forgetSeconds: 900)
      let wide = AttemptRule(key: "b", free: 9, firstDelaySeconds: 10, maximumDelaySeconds: 10, forgetSeconds: 900)
      probe.expectEqual(try probe.store.attempt([tight, wide], now: at(0)), .allowed(count: 1), "the first")
      probe.expectEqual(try probe.store.attempt([tight, wide], now: at(0)), .allowed(count: 2), "the second")
      for _ in 0..<3 {
        probe.expectEqual(try probe.store.attempt([wide, tight], now: at(1)), .wait(until: at(50)), "one that waits")
      }
      probe.expectEqual(try probe.store.attempt([wide], now: at(1)), .allowed(count: 3), "the other alone")
      probe.expectEqual(try probe.store.attempt([], now: at(1)), .allowed(count: 1), "no rule")
    },
  ]
}
