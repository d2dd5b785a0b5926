internal import BackendStore
internal import Basics

extension Check {
  /// What attestations showed of devices is held to them and kept by the steps that it was shown for.
  static let findings: [Check] = [
    Check("device-key", "a device's key and verdict are kept as its family begins, and when another does without them")
    {
      probe throws(Failure) in
      for (index, way) in SignInWay.allCases.enumerated() {
        let device = "d\(index)", number = index * 10, kept = key(UInt8(index + 1))
        var signIn = SignIn(number: number, way: way, device: device, finding: finding(.newKey(kept), at: at(11)))
        try probe.expect(.begun(), of: signIn, "a new key by \(way)")
        try probe.expectDevice(device, key: kept, "good", "a new key by \(way)")
        probe.expectEqual(try probe.store.device(user: "u1", id: device)?.verdict?.at, at(11), "when it was verified")
        (signIn.number, signIn.finding, signIn.now) = (number + 1, nil, at(20))
        try probe.expect(.begun(), of: signIn, "without a finding by \(way)")
        try probe.expectDevice(device, key: kept, "good", "seen again by \(way)")
        (signIn.number, signIn.finding) = (number + 2, finding(.genuine, "genuine"))
        try probe.expect(.begun(), of: signIn, "a verdict by \(way)")
        try probe.expectDevice(device, key: kept, "genuine", "after a verdict by \(way)")
        (signIn.number, signIn.finding) = (number + 3, finding(.newKey(key(100 + UInt8(index)))))
        try probe.expect(.begun(), of: signIn, "another key by \(way)")
        try probe.expectDevice(device, key: key(100 + UInt8(index)), "good", "another key by \(way)")
      }
    },
    Check("device-by-key", "a device is found by the id of its attested key, whosever it is, until it has another") {
      probe throws(Failure) in
      func expect(_ keyID: [UInt8], _ user: String?, _ what: String) throws(Failure) {
        probe.expectEqual(try probe.another().device(keyID: keyID)?.user, user, what)
      }
      func set(_ number: Int, _ key: DeviceKey) throws(Failure) {
        let signIn = SignIn(number: number, way: .once, user: "u2", finding: finding(.newKey(key)))
        try probe.expect(.begun(), of: signIn, "sign-in \(number)")
      }
      try probe.begin(1)
      try probe.begin(2, device: "d2")
      try expect([1, 0, 255], nil, "who has a key that nobody brought")
      try set(3, key(1, counter: 7))
      let found = try probe.store.device(keyID: [1, 0, 255])
      probe.expectEqual(found?.id, "d1", "the device that is found")
      probe.expectEqual(found?.key, key(1, counter: 7), "the key of the device that is found")
      for keyID: [UInt8] in [[1, 0], [], [1, 0, 255, 0]] { try expect(keyID, nil, "who has the key \(keyID)") }
      try expect([1, 0, 255], "u2", "who has it")
      try set(4, key(9))
      try expect([1, 0, 255], nil, "who has it after its device brought another")
      try expect([9, 0, 255], "u2", "who has that one")
      _ = try probe.store.removeDevice(user: "u2", id: "d1", now: at(2), denyUntil: nil)
      try expect([9, 0, 255], nil, "who has it after the device was removed")
    },
    Check("device-key-once", "a key is one device's: nobody else signs in with it, and whose it is keeps it") {
      probe throws(Failure) in
      let own = finding(.newKey(key(1)))
      try probe.expect(.begun(), of: SignIn(number: 1, way: .once, finding: own), "whose it is")
      try probe.begin(2, device: "d2")
      var number = 10
      for way in SignInWay.allCases {
        for (user, device) in [("u1", "d2"), ("u2", "d1"), ("u1", "d3")] {
          number += 1
          let signIn = SignIn(number: number, way: way, user: user, device: device, finding: own)
          try probe.expect(.unattested(.keyTaken), of: signIn, "bringing it for \(device) of \(user) by \(way)")
        }
      }
      try probe.expectDevice("d2", key: nil, "refused: key-taken", "another device")
      for (user, id) in [("u2", "d1"), ("u1", "d3")] {
        let found = try probe.store.device(user: user, id: id)
        probe.expect(found == nil, "a sign-in that was refused made device \(id) of \(user)")
      }
      try probe.expect(
        .begun(), of: SignIn(number: 2_000, way: .once, finding: finding(.assertion(key(1, counter: 5)))), "its owner")
      try probe.expect(.begun(), of: SignIn(number: 2_001, way: .once, finding: own), "its owner's, attested again")
      try probe.expectDevice(key: key(1, counter: 5), "good", "whose it is")
      _ = try probe.store.removeDevice(user: "u1", id: "d1", now: at(2), denyUntil: nil)
      try probe.expect(
        .begun(), of: SignIn(number: 2_002, way: .once, user: "u2", finding: own), "after its device was removed")
      probe.expectEqual(try probe.another().device(keyID: key(1).id)?.user, "u2", "whose it is after that")
    },
    Check("device-counter", "a counter only rises, for the device's own key, whichever way the family begins") {
      probe throws(Failure) in
      func expect(
        _ number: Int, _ counter: Int64, of key: DeviceKey, for device: String, _ outcome: BeginOutcome
      ) throws(Failure) {
        var asserting = key
        asserting.counter = counter
        let way = SignInWay.allCases[number % SignInWay.allCases.count]
        let signIn = SignIn(number: number, way: way, device: device, finding: finding(.assertion(asserting)))
        try probe.expect(outcome, of: signIn, "counter \(counter) of key \(key.id[0]) for \(device) by \(way)")
      }
      try expect(1, 1, of: key(1), for: "d1", .unattested(.otherKey))
      try probe.expect(.begun(), of: SignIn(number: 2, way: .once, finding: finding(.newKey(key(1)))), "a new key")
      var number = 10
      for _ in SignInWay.allCases {
        // So that each way has each of them.
        let base = (try probe.store.device(user: "u1", id: "d1")?.key?.counter) ?? -1
        let forged = DeviceKey(id: key(1).id, publicKey: [4, 9], counter: 0)
        let steps: [(Int64, DeviceKey, String, BeginOutcome)] = [
          (0, key(1), "d1", .unattested(.counter)), (1, key(1), "d1", .begun()),
          (1, key(1), "d1", .unattested(.counter)), (5, key(1), "d1", .begun()),
          (4, key(1), "d1", .unattested(.counter)), (6, key(9), "d1", .unattested(.otherKey)),
          (6, key(1), "d2", .unattested(.otherKey)), (6, forged, "d1", .unattested(.otherKey)),
          (6, key(1), "d1", .begun()), (7, key(1), "d1", .begun()),
        ]
        for (counter, key, device, outcome) in steps {
          number += 1
          try expect(number, base + counter, of: key, for: device, outcome)
        }
        probe.expectEqual(try probe.store.device(user: "u1", id: "d1")?.key?.counter, base + 7, "the counter")
      }
      try probe.expectDevice(key: key(1, counter: 21), "good", "after all of them")
    },
    Check("finding-refused", "a sign-in whose finding is not the device's begins nothing, and the device tells of it") {
      probe throws(Failure) in
      for (index, way) in SignInWay.allCases.enumerated() {
        let number = 10 * index
        let none = SignIn(
          number: number, way: way, device: nil, finding: finding(.genuine, "genuine"))
        try probe.expect(.unattested(.noDevice), of: none, "a sign-in without a device by \(way)")
        var signIn = SignIn(number: number + 1, way: way, device: "d\(index)", finding: finding(.nothing, "refused: x"))
        try probe.expect(.unattested(.nothing), of: signIn, "nothing by \(way)")
        let made = try probe.store.device(user: "u1", id: "d\(index)")
        probe.expect(made == nil, "a sign-in that was refused made a device")
        (signIn.number, signIn.finding) = (number + 2, nil)
        try probe.expect(.begun(), of: signIn, "a sign-in that asks for none by \(way)")
        (signIn.number, signIn.finding) = (number + 3, finding(.assertion(key(1, counter: 1)), at: at(12)))
        (signIn.name, signIn.now) = ("Phone", at(30))
        try probe.expect(.unattested(.otherKey), of: signIn, "a key that is not the device's by \(way)")
        let device = try probe.another().device(user: "u1", id: "d\(index)")
        probe.expectEqual(device?.verdict, Device.Verdict("refused: key-mismatch", at: at(12)), "the verdict by \(way)")
        probe.expectEqual(device?.name, "d\(index)", "the name after a sign-in by \(way) that was refused")
        probe.expectEqual(device?.lastSeenAt, at(10), "when it was seen, after a sign-in by \(way) that was refused")
        (signIn.number, signIn.finding) = (number + 4, finding(.nothing, "refused: y"))
        try probe.expect(.unattested(.nothing), of: signIn, "nothing, from a device that is there, by \(way)")
        try probe.expectDevice("d\(index)", key: nil, "refused: y", "after nothing by \(way)")
      }
    },
    Check("finding-watched", "where it is not required, the device tells of what is not its own, and the family begins")
    {
      probe throws(Failure) in
      func watched(_ evidence: DeviceFinding.Evidence, _ verdict: String = "good") -> DeviceFinding {
        finding(evidence, verdict, required: false)
      }
      for (index, way) in SignInWay.allCases.enumerated() {
        let device = "d\(index)", own = key(UInt8(index + 1), counter: 5)
        let steps: [(DeviceFinding, DeviceMisfit?, DeviceKey?, String)] = [
          (watched(.nothing, "refused: x"), .nothing, nil, "refused: x"),
          (watched(.assertion(own)), .otherKey, nil, "refused: key-mismatch"),
          (watched(.newKey(own)), nil, own, "good"),
          (watched(.assertion(own)), .counter, own, "refused: counter"),
          (watched(.genuine, "genuine"), nil, own, "genuine"),
          (watched(.newKey(key(99))), index == 0 ? nil : .keyTaken, index == 0 ? key(99) : own, ""),
        ]
        for (step, (finding, misfit, key, verdict)) in steps.enumerated() {
          let signIn = SignIn(number: index * 10 + step, way: way, device: device, finding: finding)
          try probe.expect(.begun(misfit: misfit), of: signIn, "step \(step) by \(way)")
          let told = verdict.isEmpty ? (misfit == nil ? "good" : "refused: key-taken") : verdict
          try probe.expectDevice(device, key: key, told, "step \(step) by \(way)")
        }
        try probe.expect(
          .begun(misfit: .noDevice),
          of: SignIn(number: index * 10 + 9, way: way, device: nil, finding: watched(.genuine)), "no device by \(way)")
      }
    },
  ]
}
