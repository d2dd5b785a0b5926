internal import BackendStore
internal import Basics

extension Check {
  /// A refresh token is exchanged for its successor, or not.
  static let rotation: [Check] = [
    Check("rotate", "the live token is exchanged, the successor is the live one then, and all else stays") {
      probe throws(Failure) in
      var expected = try probe.begin()
      for step in 0..<3 {
        let rotated = try probe.expectRotated(
          probe.rotation(step, step + 1, at: Int64(10 * step + 10)), "rotation \(step)")
        expected.generation = Int64(step) + 1
        expected.current = hash(1_001 + step)
        expected.usedAt = at(Int64(10 * step + 10))
        probe.expectEqual(rotated, expected, "the family after rotation \(step)")
        probe.expectEqual(try probe.another().family(id: "sid-1"), expected, "the family read after rotation \(step)")
      }
    },
    Check("rotate-later", "rotations that nobody waits for are each answered once, and are done and durable by then") {
      probe throws(Failure) in
      let families = 1...20
      for number in families { try probe.begin(number) }
      for isAlone in [false, true] {
        let step = isAlone ? 1 : 0, other = try probe.another()
        let answers = Monitor<[Int: [String]]>([:])
        for number in families {
          probe.store.rotate(probe.rotation(step, step + 1, family: number), isAlone: isAlone) { result in
            let live = try? other.family(id: "sid-\(number)")?.current == hash(number * 1_000 + step + 1)
            var text = "\(result)"
            if case .success(.rotated(let family, let user, _)) = result, family.id == "sid-\(number)", user.id == "u1"
            {
              text = live == true ? "rotated" : "told before it was done"
            }
            answers.withLock { $0[number, default: []].append(text) }
          }
        }
        _ = answers.wait(until: .now().advanced(bySeconds: 20)) { $0.count == families.count ? true : nil }
        for number in families {
          probe.expectEqual(answers.withLock { $0[number] ?? [] }, ["rotated"], "answers for family \(number)")
        }
      }
      try probe.expectRefused(probe.rotation(0, 9), .replay, endedNow: true, "a spent token after that")
    },
    Check("rotate-unknown", "a handle that names no family is unknown, and nothing is named") {
      probe throws(Failure) in
      try probe.begin()
      let named = try probe.expectRefused(probe.rotation(0, 1, family: 2), .unknown, "a handle of nobody's")
      probe.expect(named == nil, "a handle of nobody's named \(named?.id ?? "")")
      try probe.expectRotated(probe.rotation(0, 1), "the live token after that")
    },
    Check("rotate-wrong-token", "a token that never was one of the family's is refused and counted") {
      probe throws(Failure) in
      try probe.begin()
      let named = try probe.expectRefused(probe.rotation(77, 1), .unknown, "a token made up")
      probe.expectEqual(named?.id, "sid-1", "the family that a made-up token names")
      try probe.expectRotated(probe.rotation(0, 1), "the live token after that")
    },
    Check("rotate-client", "another client gets nothing, changes nothing, and counts for nothing") {
      probe throws(Failure) in
      try probe.begin()
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      for token in [1, 0, 77, 1, 0, 77, 77] {
        var strange = probe.rotation(token, 2)
        strange.client = "other"
        strange.failureLimit = 2
        try probe.expectRefused(strange, .client, "token \(token) from another client")
      }
      try probe.expectEnd(nil, "after another client tried")
      try probe.expectRotated(probe.rotation(1, 2), "the live token after that")
    },
    Check("rotate-ended", "no token of a family that ended is good for anything, and it ends once") {
      probe throws(Failure) in
      try probe.begin()
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      _ = try probe.store.end(.id("sid-1"), .logout, now: at(20), denyUntil: nil)
      for token in [1, 77, 0] {
        let refusal: RotationOutcome.Refusal = token == 0 ? .replay : .ended
        let named = try probe.expectRefused(
          probe.rotation(token, 2, at: 30), refusal, "token \(token) of an ended family")
        probe.expectEqual(named?.end, .logout, "the end that the refusal names")
      }
      try probe.expectEnd(.logout, "after its tokens came again")
    },
    Check("rotate-hidden", "a spent token is a replay too when its family was ended with a token of it, and only then")
    {
      probe throws(Failure) in
      for (number, end) in Family.End.allCases.enumerated() {
        let number = number + 1
        try probe.begin(number)
        try probe.expectRotated(probe.rotation(0, 1, family: number), "the first rotation")
        _ = try probe.store.end(.id("sid-\(number)"), end, now: at(20), denyUntil: nil)
        let isHidden = end == .revoked || end == .logout
        for _ in 1...2 {
          try probe.expectRefused(
            probe.rotation(0, 2, family: number, at: 30), isHidden ? .replay : .ended, "a spent token after \(end)")
          try probe.expectRefused(
            probe.rotation(1, 2, family: number, at: 30), .ended, "the live token after \(end)")
        }
        try probe.expectEnd(end, of: number, "after its tokens came again")
      }
    },
    Check("rotate-replay", "a spent token ends the family at once, however old it is, and denies its access tokens") {
      probe throws(Failure) in
      for (number, token) in [(1, 0), (2, 4), (3, 7)] {
        try probe.begin(number)
        for step in 0..<8 {
          try probe.expectRotated(probe.rotation(step, step + 1, family: number), "rotation \(step)")
        }
        var replay = probe.rotation(token, 99, family: number, at: 20)
        replay.denyUntil = at(900)
        let named = try probe.expectRefused(replay, .replay, endedNow: true, "spent token \(token) of 8")
        probe.expectEqual(named?.end, .replay, "the end that the refusal names")
        try probe.expectEnd(.replay, of: number, "after a replay")
        probe.expectEqual(try probe.store.denied(now: at(20))["sid-\(number)"], at(900), "the denial of the family")
        try probe.expectRefused(probe.rotation(8, 9, family: number, at: 21), .ended, "the live token after a replay")
      }
    },
    Check("rotate-replay-alone", "a replay ends its own family and no other of the user's, and denies nothing unasked")
    {
      probe throws(Failure) in
      try probe.begin(1)
      try probe.begin(2)
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      try probe.expectRefused(probe.rotation(0, 2), .replay, endedNow: true, "the replay")
      try probe.expectEnd(nil, of: 2, "the other family after a replay")
      probe.expectEqual(try probe.store.denied(now: at(10)), [:], "denials after a replay that asks for none")
      try probe.expectRotated(probe.rotation(0, 1, family: 2), "the other family's token")
    },
    Check("rotate-peppers", "a token is known by its hash under any of the peppers, and by no other pepper's") {
      probe throws(Failure) in
      try probe.begin()
      var rotation = probe.rotation(0, 1)
      rotation.presented = [hash(1_000, pepper: 2)]
      try probe.expectRefused(rotation, .unknown, "the same bytes under another pepper")
      rotation.presented = [hash(9, pepper: 3), hash(8, pepper: 2), hash(1_000)]
      rotation.successor = hash(1_001, pepper: 3)
      try probe.expectRotated(rotation, "the live token under the oldest of three peppers")
      var replay = probe.rotation(0, 2, at: 20)
      replay.presented = [hash(9, pepper: 3), hash(8, pepper: 2), hash(1_000)]
      try probe.expectRefused(replay, .replay, endedNow: true, "its replay")
    },
    Check("rotate-failures", "so many failed attempts within the window end the family; older ones do not count") {
      probe throws(Failure) in
      func attempt(_ seconds: Int64, family: Int) -> Rotation {
        var rotation = probe.rotation(77, 1, family: family, at: seconds)
        (rotation.failureLimit, rotation.failureSeconds, rotation.denyUntil) = (3, 100, at(900))
        return rotation
      }
      try probe.begin(1)
      for seconds: Int64 in [0, 1] {
        try probe.expectRefused(attempt(seconds, family: 1), .unknown, "failure \(seconds)")
      }
      let named = try probe.expectRefused(attempt(99, family: 1), .failures, endedNow: true, "the third failure")
      probe.expectEqual(named?.end, .failures, "the end that the refusal names")
      try probe.expectEnd(.failures, "after three failures")
      probe.expectEqual(try probe.store.denied(now: start)["sid-1"], at(900), "the denial of the family")
      try probe.begin(2)
      for seconds: Int64 in [0, 60, 100, 160, 200] {
        try probe.expectRefused(attempt(seconds, family: 2), .unknown, "one failure in 40 seconds or more")
      }
      // A window that slides: the last three are 160, 200 and 201.
      try probe.expectRefused(
        attempt(201, family: 2), .failures, endedNow: true, "the third failure within 100 seconds")
      try probe.begin(3)
      for seconds: Int64 in 0..<10 {
        var rotation = attempt(seconds, family: 3)
        rotation.failureLimit = 0
        try probe.expectRefused(rotation, .unknown, "a failure without a limit")
      }
    },
    Check("rotate-device", "a bound family answers its own device only; the client's policy says whether it ends") {
      probe throws(Failure) in
      try probe.begin(1)
      for device in ["d2", "D1", nil] {
        var rotation = probe.rotation(0, 1)
        rotation.device = device
        rotation.failureLimit = 10
        try probe.expectRefused(rotation, .device, "the live token from device \(device ?? "none")")
      }
      try probe.expectEnd(nil, "after wrong devices")
      try probe.expectRotated(probe.rotation(0, 1), "the right device after that")
      try probe.begin(2)
      var rotation = probe.rotation(0, 1, family: 2)
      (rotation.device, rotation.failureLimit) = ("d2", 1)
      try probe.expectRefused(rotation, .failures, endedNow: true, "a wrong device at the limit of failures")
      try probe.begin(3)
      rotation = probe.rotation(0, 1, family: 3)
      (rotation.device, rotation.wrongDeviceEnds, rotation.denyUntil) = ("d2", true, at(900))
      try probe.expectRefused(rotation, .device, endedNow: true, "a wrong device that ends the family")
      try probe.expectEnd(.wrongDevice, of: 3, "after that")
      probe.expectEqual(try probe.store.denied(now: at(10)), ["sid-3": at(900)], "denials after that")
      try probe.begin(4, device: nil)
      for (step, device) in ["d2", nil].enumerated() {
        var rotation = probe.rotation(step, step + 1, family: 4)
        rotation.device = device
        try probe.expectRotated(rotation, "a family without a device, from device \(device ?? "none")")
      }
    },
    Check("rotate-user", "the family of a disabled user, or of none, is refused and not ended by that") {
      probe throws(Failure) in
      try probe.begin()
      guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      try probe.expectRefused(probe.rotation(0, 1), .user, "the token of a disabled user")
      try probe.expectEnd(nil, "after that")
      user.isDisabled = false
      _ = try probe.store.change(user, ending: nil, now: at(2), denyUntil: nil)
      try probe.expectRotated(probe.rotation(0, 1), "the token once the user is enabled again")
    },
    Check("rotate-scope", "more scope than was granted is refused and changes nothing; less is fine") {
      probe throws(Failure) in
      try probe.begin()
      for scopes in [["a", "b", "d"], ["d"], ["A"], [""]] {
        var rotation = probe.rotation(0, 1)
        (rotation.scopes, rotation.failureLimit) = (scopes, 2)
        try probe.expectRefused(rotation, .scope, "scopes \(scopes) of a, b")
      }
      var rotation = probe.rotation(0, 1)
      rotation.scopes = ["b"]
      let family = try probe.expectRotated(rotation, "a part of the scopes")
      probe.expectEqual(family?.scopes, ["a", "b"], "what is granted after a part was asked for")
      rotation = probe.rotation(1, 2)
      rotation.scopes = []
      try probe.expectRotated(rotation, "no scope at all")
    },
    Check("rotate-bytes", "texts are compared byte for byte: what looks alike is not the same") {
      probe throws(Failure) in
      // Swift takes these two for equal.
      let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
      try probe.begin(client: composed, device: composed)
      var rotation = probe.rotation(0, 1)
      (rotation.client, rotation.device) = (decomposed, composed)
      try probe.expectRefused(rotation, .client, "a client that looks alike")
      (rotation.client, rotation.device) = (composed, decomposed)
      try probe.expectRefused(rotation, .device, "a device that looks alike")
      rotation.device = composed
      try probe.expectRotated(rotation, "the same bytes")
    },
    Check("rotate-order", "where several things are wrong, the first check in the order of the protocol answers") {
      probe throws(Failure) in
      try probe.begin(idle: 50)
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      // Everything is wrong: the client, the token, the time, the device, the user, the scope. One after another is put right.
      var rotation = probe.rotation(77, 2, at: 500)
      (rotation.client, rotation.device, rotation.scopes) = ("other", "d2", ["d"])
      try probe.expectRefused(rotation, .client, "all wrong")
      rotation.client = "mobile"
      try probe.expectRefused(rotation, .unknown, "all but the client wrong")
      rotation.presented = [hash(1_001)]
      try probe.expectRefused(rotation, .expired, "the time, the device, the user and the scope wrong")
      rotation.now = at(20)
      try probe.expectRefused(rotation, .device, "the device, the user and the scope wrong")
      rotation.device = "d1"
      try probe.expectRefused(rotation, .user, "the user and the scope wrong")
      user.isDisabled = false
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      try probe.expectRefused(rotation, .scope, "the scope wrong")
      rotation.scopes = nil
      try probe.expectRotated(rotation, "all right")
      rotation = probe.rotation(0, 3, at: 500)
      rotation.device = "d2"
      try probe.expectRefused(rotation, .replay, endedNow: true, "a spent token of an expired family")
      rotation.client = "other"
      try probe.expectRefused(rotation, .client, "an ended family of another client")
    },
  ]
}
