internal import BackendStore
internal import Basics

extension Check {
  /// The answer to a rotation was lost, and the client asks again.
  static let grace: [Check] = [
    Check("grace", "within the grace the direct predecessor gets the same successor, as often as it comes") {
      probe throws(Failure) in
      try probe.begin()
      let family = try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      // A request that took its time before the rotation may come after it.
      for seconds: Int64 in [10, 14, 9, 19] {
        var again = probe.rotation(0, 50, at: seconds)
        (again.graceSeconds, again.sealedSuccessor) = (10, [9, 9])
        let outcome = try probe.store.rotate(again)
        guard let family else { return }
        probe.expectEqual(
          outcome, .repeated(family, sealedSuccessor: [1, 0, 255]),
          "the predecessor \(seconds - 10) s after its rotation")
      }
      probe.expectEqual(try probe.another().family(id: "sid-1"), family, "the family after that")
      try probe.expectRotated(probe.rotation(1, 2, at: 20), "the successor")
    },
    Check("grace-over", "after the grace the predecessor is a replay") { probe throws(Failure) in
      try probe.begin()
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      var again = probe.rotation(0, 2, at: 20)
      again.graceSeconds = 10
      try probe.expectRefused(
        again, .replay, endedNow: true, "the predecessor 10 s after its rotation, with 10 s grace")
      try probe.begin(2)
      try probe.expectRotated(probe.rotation(0, 1, family: 2, at: 100), "the rotation")
      again = probe.rotation(0, 2, family: 2, at: 80)
      again.graceSeconds = 10
      try probe.expectRefused(again, .replay, endedNow: true, "the predecessor, by a clock that is 20 s behind")
    },
    Check("grace-used", "once the successor was used its predecessor is a replay, within the grace too") {
      probe throws(Failure) in
      try probe.begin()
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      try probe.expectRotated(probe.rotation(1, 2), "the second rotation")
      var again = probe.rotation(0, 3)
      again.graceSeconds = 10
      try probe.expectRefused(again, .replay, endedNow: true, "the predecessor's predecessor")
    },
    Check("grace-bound", "there is no grace without a device, from another one, or when none was kept") {
      probe throws(Failure) in
      try probe.begin(1, device: nil)
      try probe.begin(2)
      try probe.begin(3)
      try probe.begin(4)
      for number in 1...4 {
        var first = probe.rotation(0, 1, family: number)
        if number == 3 { first.sealedSuccessor = nil }
        try probe.expectRotated(first, "the rotation of family \(number)")
        var again = probe.rotation(0, 2, family: number)
        again.graceSeconds = number == 4 ? 0 : 10
        if number == 2 { again.device = "d2" }
        try probe.expectRefused(again, .replay, endedNow: true, "the predecessor in family \(number)")
      }
    },
    Check("grace-checks", "within the grace time, user and scope are looked at as ever") { probe throws(Failure) in
      try probe.begin(idle: 5)
      try probe.expectRotated(probe.rotation(0, 1, at: 1), "the first rotation")
      var again = probe.rotation(0, 2, at: 6)
      again.graceSeconds = 10
      try probe.expectRefused(again, .expired, "the predecessor in an expired family")
      again.now = at(2)
      again.scopes = ["d"]
      try probe.expectRefused(again, .scope, "the predecessor, for more scope")
      again.scopes = nil
      guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      try probe.expectRefused(again, .user, "the predecessor of a disabled user")
    },
  ]

  /// How long a family lives.
  static let lifetimes: [Check] = [
    Check("lifetime-absolute", "a family ends at its limit, not a second before, and no rotation moves it") {
      probe throws(Failure) in
      try probe.begin(lifetime: 100, idle: 90)
      try probe.expectRotated(probe.rotation(0, 1, at: 50), "half-way")
      let family = try probe.expectRotated(probe.rotation(1, 2, at: 99), "one second before the limit")
      probe.expectEqual(family?.expiresAt, at(100), "the absolute end after two rotations")
      for seconds: Int64 in [100, 101] {
        try probe.expectRefused(probe.rotation(2, 3, at: seconds), .expired, "at \(seconds) of 100 seconds")
      }
      try probe.expectEnd(nil, "after it expired")
    },
    Check("lifetime-idle", "a family that stays unused ends at its limit; each rotation begins it anew") {
      probe throws(Failure) in
      try probe.begin(lifetime: 10_000, idle: 100)
      try probe.expectRotated(probe.rotation(0, 1, at: 99), "one second before the limit")
      try probe.expectRotated(probe.rotation(1, 2, at: 198), "one second before the next")
      for seconds: Int64 in [298, 299] {
        try probe.expectRefused(probe.rotation(2, 3, at: seconds), .expired, "\(seconds - 198) of 100 seconds after")
      }
    },
  ]
}
