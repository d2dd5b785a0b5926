internal import BackendStore
internal import Basics

extension Check {
  /// Who is made to wait, because the device was given tokens too often, has lost nothing.
  static let admission: [Check] = [
    Check("held-sign-in", "a sign-in whose device is to wait begins nothing and spends nothing, whichever way it comes")
    {
      probe throws(Failure) in
      let asked = Monitor<[String]>([])
      for (index, way) in SignInWay.allCases.enumerated() {
        var signIn = SignIn(number: index * 10, way: way, device: "d\(index)")
        signIn.admission = { user, device in
          asked.withLock { $0.append("\(user) \(device ?? "-")") }
          return 7
        }
        try probe.grant(signIn)
        for time in 1...2 {
          probe.expectEqual(try probe.begin(signIn, in: probe.another()), .held(seconds: 7), "time \(time) by \(way)")
          let family = try probe.store.family(id: "sid-\(signIn.number)")
          probe.expect(family == nil, "a sign-in by \(way) that is to wait has begun")
        }
        let device = "u1 d\(index)"
        probe.expectEqual(asked.withLock { $0 }, [device, device], "whose device was asked for by \(way)")
        signIn.admission = { _, _ in nil }
        probe.expectEqual(try probe.begin(signIn, in: probe.store), .begun(), "the same by \(way) when it may")
        asked.withLock { $0 = [] }
        signIn.admission = { _, _ in
          asked.withLock { $0.append("again") }
          return 7
        }
        probe.expectEqual(try probe.begin(signIn, in: probe.store), .replay, "the same again by \(way)")
        probe.expectEqual(asked.withLock { $0 }, [], "asked for what is spent by \(way)")
      }
    },
    Check("refused-is-not-given", "a sign-in whose finding is refused takes nothing from its device's share") {
      probe throws(Failure) in
      let asked = Monitor(0)
      for (index, way) in SignInWay.allCases.enumerated() {
        var signIn = SignIn(number: index * 10, way: way, device: "d\(index)", finding: finding(.nothing, "refused: x"))
        signIn.admission = { _, _ in
          asked.withLock { $0 += 1 }
          return 7
        }
        try probe.expect(.unattested(.nothing), of: signIn, "nothing by \(way)")
        probe.expectEqual(asked.withLock { $0 }, 0, "asked for what is refused by \(way)")
      }
    },
    Check("held-rotation", "a rotation whose device is to wait leaves the token the live one; a replay does not wait") {
      probe throws(Failure) in
      try probe.begin()
      let asked = Monitor<[String]>([])
      func held(_ rotation: Rotation) -> Rotation {
        var rotation = rotation
        rotation.admission = { user, device in
          asked.withLock { $0.append("\(user) \(device ?? "-")") }
          return 9
        }
        return rotation
      }
      for time in 1...2 {
        let outcome = try probe.another().rotate(held(probe.rotation(0, time)))
        probe.expectEqual(outcome, .held(seconds: 9), "time \(time)")
      }
      var strange = held(probe.rotation(0, 1))
      strange.client = "other"
      try probe.expectRefused(strange, .client, "another client's attempt")
      probe.expectEqual(asked.withLock { $0 }, ["u1 d1", "u1 d1"], "whose device was asked for")
      var admitted = probe.rotation(0, 1)
      admitted.admission = { _, _ in nil }
      try probe.expectRotated(admitted, "when it may")
      var repeated = held(probe.rotation(0, 2))
      repeated.graceSeconds = 10
      probe.expectEqual(try probe.store.rotate(repeated), .held(seconds: 9), "what the grace repeats")
      try probe.expectRefused(held(probe.rotation(0, 2)), .replay, endedNow: true, "a spent token")
    },
  ]
}
