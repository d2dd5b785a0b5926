internal import BackendStore
internal import Basics

extension Check {
  /// What attestations showed at refreshes.
  static let findingsOfRotations: [Check] = [
    Check("rotate-finding", "a rotation keeps what was found; what is not the device's leaves the token as it was") {
      probe throws(Failure) in
      try probe.begin()
      func rotation(_ from: Int, _ evidence: DeviceFinding.Evidence, _ verdict: String = "good") -> Rotation {
        var rotation = probe.rotation(from, from + 1)
        rotation.finding = finding(evidence, verdict)
        return rotation
      }
      func refused(
        _ from: Int, _ evidence: DeviceFinding.Evidence, _ verdict: String = "good", as misfit: DeviceMisfit,
        key: DeviceKey?
      ) throws(Failure) {
        let outcome = try probe.another().rotate(rotation(from, evidence, verdict))
        guard case .unattested(let found, let family) = outcome, found == misfit else {
          return probe.report("\(evidence): \(outcome) instead of \(misfit)")
        }
        probe.expectEqual(family, try probe.store.family(id: "sid-1"), "\(evidence): the family")
        probe.expectEqual(family.current, hash(1_000 + from), "\(evidence): the live token")
        let told = misfit == .nothing ? verdict : "refused: \(misfit.rawValue)"
        try probe.expectDevice(key: key, told, "after \(evidence)")
      }
      try refused(0, .nothing, "refused: x", as: .nothing, key: nil)
      try refused(0, .assertion(key(1, counter: 1)), as: .otherKey, key: nil)
      try probe.begin(2, user: "u2")
      try probe.expect(
        .begun(), of: SignIn(number: 3, way: .once, user: "u2", finding: finding(.newKey(key(7)))), "another's key")
      try refused(0, .newKey(key(7)), as: .keyTaken, key: nil)
      try probe.expectRotated(rotation(0, .newKey(key(1))), "the first key of a device")
      try probe.expectDevice(key: key(1), "good", "after its first key")
      try probe.expectRotated(rotation(1, .assertion(key(1, counter: 2))), "its first assertion")
      try probe.expectRotated(rotation(2, .assertion(key(1, counter: 3))), "an assertion")
      try probe.expectDevice(key: key(1, counter: 3), "good", "after an assertion")
      try refused(3, .assertion(key(1, counter: 3)), as: .counter, key: key(1, counter: 3))
      try refused(3, .assertion(key(9, counter: 4)), as: .otherKey, key: key(1, counter: 3))
      try refused(3, .newKey(key(9)), as: .otherKey, key: key(1, counter: 3))
      try refused(3, .genuine, as: .otherKey, key: key(1, counter: 3))
      // What else is wrong comes first, and keeps nothing.
      var other = rotation(3, .assertion(key(1, counter: 4)))
      other.device = "d2"
      try probe.expectRefused(other, .device, "another device")
      other = rotation(3, .assertion(key(1, counter: 4)))
      other.scopes = ["x"]
      try probe.expectRefused(other, .scope, "more scope")
      try probe.expectRotated(rotation(3, .assertion(key(1, counter: 4))), "the token after all of them")
      var watched = rotation(4, .assertion(key(1, counter: 4)))
      watched.finding?.isRequired = false
      let outcome = try probe.store.rotate(watched)
      guard case .rotated(_, _, misfit: .counter) = outcome else { return probe.report("watched: \(outcome)") }
      try probe.expectDevice(key: key(1, counter: 4), "refused: counter", "where it is watched")
      _ = try probe.store.removeDevice(user: "u1", id: "d1", now: at(10), denyUntil: nil)
      try probe.begin(5, device: nil)
      var unbound = probe.rotation(0, 1, family: 5)
      (unbound.device, unbound.finding) = ("d1", finding(.genuine))
      let strange = try probe.store.rotate(unbound)
      guard case .unattested(.noDevice, _) = strange else { return probe.report("no such device: \(strange)") }
    },
    Check("rotate-keyless", "a device that showed to be genuine without a key takes one at a sign-in alone") {
      probe throws(Failure) in
      try probe.begin()
      func rotate(_ from: Int, _ evidence: DeviceFinding.Evidence) throws(Failure) -> RotationOutcome {
        var rotation = probe.rotation(from, from + 1)
        rotation.finding = finding(evidence, evidence == .nothing ? "refused: x" : "good")
        return try probe.another().rotate(rotation)
      }
      func expectTaken(_ from: Int, _ evidence: DeviceFinding.Evidence, key: DeviceKey?, _ what: String) throws(Failure)
      {
        let outcome = try rotate(from, evidence)
        guard case .rotated(_, _, misfit: nil) = outcome else { return probe.report("\(what): \(outcome)") }
        try probe.expectDevice(key: key, "good", what)
      }
      try expectTaken(0, .genuine, key: nil, "a verdict of a device without a key")
      // What is refused in between makes it no other device.
      for evidence in [
        DeviceFinding.Evidence.newKey(key(1)), .nothing, .newKey(key(1)), .assertion(key(1, counter: 1)),
      ] {
        let outcome = try rotate(1, evidence)
        guard case .unattested = outcome else { return probe.report("\(evidence): \(outcome)") }
      }
      try expectTaken(1, .genuine, key: nil, "a verdict once more")
      try probe.expect(
        .begun(), of: SignIn(number: 2, way: .once, finding: finding(.newKey(key(1)))), "a key at a sign-in")
      try expectTaken(2, .assertion(key(1, counter: 1)), key: key(1, counter: 1), "an assertion after that")
      try probe.expect(
        .begun(), of: SignIn(number: 3, way: .once, finding: finding(.genuine)), "a verdict at a sign-in")
      try probe.expectDevice(key: key(1, counter: 1), "good", "which does not take the key away")
    },
    Check("grace-finding", "the direct predecessor is answered again for what is the device's; else it is a replay") {
      probe throws(Failure) in
      try probe.begin()
      func rotation(_ from: Int, _ evidence: DeviceFinding.Evidence) -> Rotation {
        var rotation = probe.rotation(from, from + 1)
        (rotation.finding, rotation.graceSeconds) = (finding(evidence), 10)
        return rotation
      }
      try probe.expectRotated(rotation(0, .newKey(key(1))), "a new key")
      func repeated(_ counter: Int64, required: Bool = true) throws(Failure) -> RotationOutcome {
        var again = rotation(0, .assertion(key(1, counter: counter)))
        again.finding?.isRequired = required
        return try probe.another().rotate(again)
      }
      guard let live = try probe.store.family(id: "sid-1") else { return probe.report("the family is gone") }
      let sealed: [UInt8] = [1, 0, 255]
      probe.expectEqual(try repeated(1), .repeated(live, sealedSuccessor: sealed), "the predecessor")
      try probe.expectDevice(key: key(1, counter: 1), "good", "after the predecessor came again")
      probe.expectEqual(
        try repeated(1, required: false), .repeated(live, sealedSuccessor: sealed, misfit: .counter),
        "the predecessor where it is watched")
      try probe.expectEnd(nil, "after that")
      let outcome = try repeated(1)
      guard case .refused(.replay, _, endedNow: true) = outcome else { return probe.report("a replay: \(outcome)") }
      try probe.expectEnd(.replay, "after a counter that did not rise")
    },
  ]
}
