internal import BackendStore
internal import Basics

extension Check {
  /// Devices, their keys and the challenges for them.
  static let devices: [Check] = [
    Check("devices", "a device is kept when it is seen, renamed when it is seen again, and listed last seen first") {
      probe throws(Failure) in
      let first = try probe.store.see(Device(user: "u1", id: "d1", name: "Phone", platform: "ios", at: at(1)))
      probe.expectEqual(first, Device(user: "u1", id: "d1", name: "Phone", platform: "ios", at: at(1)), "a new device")
      var again = first
      (again.name, again.platform, again.firstSeenAt, again.lastSeenAt) = ("My phone", "iOS", at(9), at(9))
      var expected = again
      expected.firstSeenAt = at(1)
      probe.expectEqual(try probe.store.see(again), expected, "the device seen again")
      again.lastSeenAt = at(5)
      probe.expectEqual(try probe.store.see(again), expected, "the device by a clock that is behind")
      let others = [
        try probe.store.see(Device(user: "u1", id: "d2", name: "", platform: "", at: at(10))),
        try probe.store.see(Device(user: "u2", id: "d1", name: "Theirs", platform: "android", at: at(11))),
      ]
      probe.expectEqual(try probe.another().device(user: "u1", id: "d1"), expected, "the device")
      probe.expectEqual(try probe.another().device(user: "u2", id: "d1"), others[1], "the same id of another user")
      probe.expect(try probe.store.device(user: "u2", id: "d2") == nil, "a device is found with another user")
      probe.expectEqual(try probe.store.devices(user: "u1", limit: 9), [others[0], expected], "a user's devices")
      probe.expectEqual(try probe.store.devices(user: nil, limit: 2), [others[1], others[0]], "the two seen last")
    },
    Check("device-key", "a device's key and verdict are kept, also when it is seen again") { probe throws(Failure) in
      var device = try probe.store.see(Device(user: "u1", id: "d1", name: "n", platform: "p", at: at(1)))
      _ = try probe.store.see(Device(user: "u1", id: "d2", name: "n", platform: "p", at: at(0)))
      device.key = DeviceKey(id: [1, 0, 2], publicKey: [4, 255], counter: 0)
      device.verdict = Device.Verdict("attested", at: at(2))
      try probe.store.setKey(
        DeviceKey(id: [1, 0, 2], publicKey: [4, 255], counter: 0), verdict: Device.Verdict("attested", at: at(2)),
        user: "u1", device: "d1")
      probe.expectEqual(try probe.another().device(user: "u1", id: "d1"), device, "the device with a key")
      device.verdict = Device.Verdict("asserted", at: at(3))
      try probe.store.setVerdict(Device.Verdict("asserted", at: at(3)), user: "u1", device: "d1")
      device.lastSeenAt = at(4)
      probe.expectEqual(
        try probe.store.see(Device(user: "u1", id: "d1", name: "n", platform: "p", at: at(4))), device, "seen again")
      probe.expectEqual(try probe.another().device(user: "u1", id: "d1"), device, "the device after it was seen again")
      probe.expect(try probe.store.device(user: "u1", id: "d2")?.key == nil, "another device has the key")
      probe.expectFailure(.notFound, "a key for no device") { () throws(Failure) in
        try probe.store.setKey(
          DeviceKey(id: [1], publicKey: [2], counter: 0), verdict: Device.Verdict("x", at: start), user: "u1",
          device: "d9")
      }
      probe.expectFailure(.notFound, "a verdict for no device") { () throws(Failure) in
        try probe.store.setVerdict(Device.Verdict("x", at: start), user: "u9", device: "d1")
      }
    },
    Check("device-by-key", "a device is found by the id of its attested key, whosever it is, until it has another") {
      probe throws(Failure) in
      let key = DeviceKey(id: [1, 0, 255], publicKey: [2], counter: 7)
      for (user, id) in [("u1", "d1"), ("u1", "d2"), ("u2", "d1")] {
        _ = try probe.store.see(Device(user: user, id: id, name: "n", platform: "p", at: at(1)))
      }
      func set(_ key: DeviceKey, _ user: String, _ device: String) throws(Failure) {
        try probe.store.setKey(key, verdict: Device.Verdict("x", at: start), user: user, device: device)
      }
      func expect(_ keyID: [UInt8], _ user: String?, _ what: String) throws(Failure) {
        probe.expectEqual(try probe.another().device(keyID: keyID)?.user, user, what)
      }
      try expect([1, 0, 255], nil, "who has a key that nobody brought")
      try set(key, "u2", "d1")
      let found = try probe.store.device(keyID: [1, 0, 255])
      probe.expectEqual(found?.id, "d1", "the device that is found")
      probe.expectEqual(found?.key, key, "the key of the device that is found")
      for keyID: [UInt8] in [[1, 0], [], [1, 0, 255, 0]] { try expect(keyID, nil, "who has the key \(keyID)") }
      try expect([1, 0, 255], "u2", "who has it")
      try set(DeviceKey(id: [9], publicKey: [9], counter: 0), "u2", "d1")
      try expect([1, 0, 255], nil, "who has it after its device brought another")
      try expect([9], "u2", "who has that one")
      _ = try probe.store.removeDevice(user: "u2", id: "d1", now: at(2), denyUntil: nil)
      try expect([9], nil, "who has it after the device was removed")
    },
    Check("device-key-once", "a key is one device's: nobody else brings it, and whose it is keeps it") {
      probe throws(Failure) in
      let key = DeviceKey(id: [1], publicKey: [2], counter: 0), verdict = Device.Verdict("x", at: start)
      for (user, id) in [("u1", "d1"), ("u1", "d2"), ("u2", "d1")] {
        _ = try probe.store.see(Device(user: user, id: id, name: "n", platform: "p", at: at(1)))
      }
      try probe.store.setKey(key, verdict: verdict, user: "u1", device: "d1")
      for (user, id) in [("u1", "d2"), ("u2", "d1")] {
        probe.expectFailure(.exists, "bringing it for \(id) of \(user)") { () throws(Failure) in
          try probe.another().setKey(key, verdict: verdict, user: user, device: id)
        }
        let device = try probe.store.device(user: user, id: id)
        probe.expect(device?.key == nil && device?.verdict == nil, "\(id) of \(user) after that: \(device as Any)")
      }
      try probe.store.setKey(key, verdict: verdict, user: "u1", device: "d1")
      probe.expectEqual(try probe.store.device(user: "u1", id: "d1")?.key, key, "the key of whose it is")
      _ = try probe.store.removeDevice(user: "u1", id: "d1", now: at(2), denyUntil: nil)
      try probe.store.setKey(key, verdict: verdict, user: "u2", device: "d1")
      probe.expectEqual(try probe.another().device(keyID: [1])?.user, "u2", "whose it is after its device was removed")
    },
    Check("device-counter", "a counter only rises, for the device's own key") { probe throws(Failure) in
      _ = try probe.store.see(Device(user: "u1", id: "d1", name: "n", platform: "p", at: at(1)))
      func raise(_ counter: Int64, key: [UInt8] = [1], device: String = "d1") throws(Failure) -> Bool {
        try probe.another().raiseCounter(to: counter, keyID: key, user: "u1", device: device)
      }
      probe.expect(try !raise(1), "a device without a key has a counter")
      try probe.store.setKey(
        DeviceKey(id: [1], publicKey: [2], counter: 0), verdict: Device.Verdict("x", at: start), user: "u1",
        device: "d1")
      let steps: [(Int64, [UInt8], String, Bool)] = [
        (0, [1], "d1", false), (1, [1], "d1", true), (1, [1], "d1", false), (5, [1], "d1", true), (4, [1], "d1", false),
        (6, [9], "d1", false), (6, [1], "d2", false), (6, [1], "d1", true),
      ]
      for (counter, key, device, isRising) in steps {
        probe.expectEqual(
          try raise(counter, key: key, device: device), isRising, "counter \(counter), key \(key), \(device)")
      }
      probe.expectEqual(try probe.store.device(user: "u1", id: "d1")?.key?.counter, 6, "the counter")
    },
    Check("remove-device", "a device that is removed is gone, and its families are ended and denied") {
      probe throws(Failure) in
      for (user, id) in [("u1", "d1"), ("u1", "d2"), ("u2", "d1")] {
        _ = try probe.store.see(Device(user: user, id: id, name: "n", platform: "p", at: at(1)))
      }
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
