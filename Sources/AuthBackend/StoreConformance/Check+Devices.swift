internal import BackendStore
internal import Basics

extension Check {
  /// Devices and the challenges for them.
  static let devices: [Check] = [
    Check("devices", "a device is kept as its family begins, named as the newest says, and listed last seen first") {
      probe throws(Failure) in
      func see(
        _ number: Int, _ user: String, _ id: String, _ name: String, _ platform: String, at seconds: Int64
      ) throws(Failure) {
        let signIn = SignIn(
          number: number, way: .once, user: user, device: id, name: name, platform: platform, now: at(seconds))
        try probe.expect(.begun(), of: signIn, "sign-in \(number)")
      }
      try see(1, "u1", "d1", "Phone", "ios", at: 1)
      let first = Device(user: "u1", id: "d1", name: "Phone", platform: "ios", at: at(1))
      probe.expectEqual(try probe.store.device(user: "u1", id: "d1"), first, "a new device")
      try see(2, "u1", "d1", "My phone", "iOS", at: 9)
      var expected = first
      (expected.name, expected.platform, expected.lastSeenAt) = ("My phone", "iOS", at(9))
      probe.expectEqual(try probe.store.device(user: "u1", id: "d1"), expected, "the device seen again")
      try see(3, "u1", "d1", "My phone", "iOS", at: 5)
      probe.expectEqual(try probe.another().device(user: "u1", id: "d1"), expected, "by a clock that is behind")
      try see(4, "u1", "d2", "", "", at: 10)
      try see(5, "u2", "d1", "Theirs", "android", at: 11)
      let others = [
        Device(user: "u1", id: "d2", name: "", platform: "", at: at(10)),
        Device(user: "u2", id: "d1", name: "Theirs", platform: "android", at: at(11)),
      ]
      probe.expectEqual(try probe.another().device(user: "u2", id: "d1"), others[1], "the same id of another user")
      probe.expect(try probe.store.device(user: "u2", id: "d2") == nil, "a device is found with another user")
      probe.expectEqual(try probe.store.devices(user: "u1", limit: 9), [others[0], expected], "a user's devices")
      probe.expectEqual(try probe.store.devices(user: nil, limit: 2), [others[1], others[0]], "the two seen last")
    },
    Check("remove-device", "a device that is removed is gone, and its families are ended and denied") {
      probe throws(Failure) in
      try probe.begin(1)
      try probe.begin(2, device: "d2")
      try probe.begin(3, user: "u2")
      let ended = try probe.store.removeDevice(user: "u1", id: "d1", now: at(5), denyUntil: at(900))
      probe.expectEqual(ended.map(\.id), ["sid-1"], "the families that ended")
      try probe.expectEnd(.device, of: 1, "the device's family")
      try probe.expectEnd(nil, of: 2, "another device's family")
      try probe.expectEnd(nil, of: 3, "another user's family")
      probe.expectEqual(try probe.store.denied(now: at(5)), ["sid-1": at(900)], "denials")
      probe.expect(try probe.another().device(user: "u1", id: "d1") == nil, "the device is still there")
      probe.expect(try probe.store.device(user: "u2", id: "d1") != nil, "another user's device is gone")
      probe.expectFailure(.notFound, "removing it again") { () throws(Failure) in
        _ = try probe.store.removeDevice(user: "u1", id: "d1", now: at(5), denyUntil: nil)
      }
    },
    Check("challenge", "a challenge is good once, in time, for its client; whoever brings it spends it") {
      probe throws(Failure) in
      func challenge(_ number: UInt8) -> AttestationChallenge {
        AttestationChallenge(value: [number, 0], client: "mobile", createdAt: start, expiresAt: at(60))
      }
      for number: UInt8 in 1...4 { try probe.store.add(challenge(number)) }
      func spend(_ number: UInt8, _ client: String = "mobile", at seconds: Int64) throws(Failure) -> ChallengeOutcome {
        try probe.another().spendChallenge([number, 0], client: client, now: at(seconds))
      }
      probe.expectEqual(try spend(1, at: 59), .good(challenge(1)), "a challenge")
      probe.expectEqual(try spend(1, at: 59), .spent, "a challenge that comes again")
      probe.expectEqual(try spend(2, at: 60), .expired, "a challenge at its time")
      probe.expectEqual(try spend(2, at: 1), .spent, "a challenge that came too late before")
      probe.expectEqual(try spend(3, "other", at: 1), .client, "another client's challenge")
      probe.expectEqual(try spend(3, at: 1), .spent, "a challenge that another client brought before")
      probe.expectEqual(try spend(9, at: 1), .unknown, "a challenge made up")
      probe.expectFailure(.exists, "a challenge that is there") { () throws(Failure) in
        try probe.store.add(challenge(4))
      }
    },
  ]
}
