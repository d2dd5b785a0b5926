internal import BackendStore
internal import Basics

extension Check {
  /// Families are begun, found, listed and ended.
  static let families: [Check] = [
    Check("begin", "what was begun is read as it was, by another instance too; not for a closed account or none") {
      probe throws(Failure) in
      var family = try probe.begin()
      for store in [probe.store, try probe.another()] {
        probe.expectEqual(try store.family(id: "sid-1"), family, "the family by its id")
      }
      (family.id, family.handle) = ("sid-2", handle(2))
      family.user = "nobody"
      probe.expect(try !probe.store.begin(family), "a family of nobody's was begun")
      var user = User(id: "u2", name: "u2", passwordHash: nil, createdAt: start)
      user.isDisabled = true
      try probe.store.add(user)
      family.user = "u2"
      probe.expect(try !probe.store.begin(family), "a family of a closed account was begun")
      probe.expect(try probe.store.family(id: "sid-2") == nil, "a family that was not begun is there")
    },
    Check("begin-once", "what is good once begins one family, whoever brings it, also past its time") {
      probe throws(Failure) in
      func begin(_ number: Int, _ digest: [UInt8], user: String = "u1") throws(Failure) -> BeginOutcome {
        let family = Family(
          id: "sid-\(number)", handle: handle(number), user: user, client: "mobile", device: nil, scopes: [],
          authTime: start, createdAt: start, expiresAt: at(100), idleSeconds: 100, current: hash(number * 1_000))
        let proof = SpentOnce(digest: digest, until: at(50))
        let outcome = try probe.another().begin(family, on: DeviceDescription(), spending: proof)
        let isThere = try probe.store.family(id: family.id) != nil
        probe.expectEqual(isThere, outcome == .begun(), "whether family \(number) is there")
        return outcome
      }
      try probe.addUser()
      probe.expectEqual(try begin(1, [1, 0, 1]), .begun(), "something new")
      probe.expectEqual(try begin(2, [1, 0, 1]), .replay, "the same again")
      probe.expectEqual(try begin(3, [1, 0, 2]), .begun(), "something else")
      probe.expectEqual(try begin(4, [1, 0, 3], user: "nobody"), .user, "nobody's")
      probe.expectEqual(try begin(5, [1, 0, 3]), .replay, "what was spent on nobody")
      probe.expectFailure(.exists, "an id that is taken") { () throws(Failure) in
        var family = try probe.store.family(id: "sid-1")
        family?.handle = handle(9)
        guard let family else { return probe.report("the family is gone") }
        _ = try probe.store.begin(family, on: DeviceDescription(), spending: SpentOnce(digest: [7], until: at(50)))
      }
      probe.expectEqual(try begin(6, [7]), .begun(), "what an attempt that failed brought")
    },
    Check("begin-device", "what begins a family keeps in the same step that its device was seen, as it is described") {
      probe throws(Failure) in
      try probe.addUser()
      func family(_ number: Int, _ device: String?, at seconds: Int64) -> Family {
        Family(
          id: "sid-\(number)", handle: handle(number), user: "u1", client: "mobile", device: device, scopes: [],
          authTime: start, createdAt: at(seconds), expiresAt: at(100), idleSeconds: 100, current: hash(number * 1_000))
      }
      func expectDevice(_ name: String, _ platform: String, seen: Int64, _ what: String) throws(Failure) {
        var device = Device(user: "u1", id: "d1", name: name, platform: platform, at: at(1))
        device.lastSeenAt = at(seen)
        probe.expectEqual(try probe.another().device(user: "u1", id: "d1"), device, what)
      }
      _ = try probe.store.begin(family(1, "d1", at: 1))
      try expectDevice("d1", "", seen: 1, "a device that is not described")
      let phone = DeviceDescription(name: "Phone", platform: "ios")
      _ = try probe.store.begin(family(2, "d1", at: 2), on: phone, spending: nil)
      try expectDevice("Phone", "ios", seen: 2, "a device that is described")
      var redemption = probe.redemption(1, family: 3, at: 10)
      redemption.description.name = "My phone"
      try probe.addCode(1)
      _ = try probe.store.redeem(redemption)
      try expectDevice("My phone", "ios", seen: 10, "a device after a code")
      try probe.store.add(
        DeviceAuthorization(
          hash: hash(700), userCode: "C", client: "mobile", device: "d1", scopes: [], createdAt: start,
          expiresAt: at(600), intervalSeconds: 0))
      _ = try probe.store.decide(userCode: "C", .approve(user: "u1", authTime: start), now: start)
      var poll = DevicePoll(
        presented: [hash(700)], client: "mobile", device: "d1", handle: handle(4), id: "sid-4", first: hash(4_000),
        lifetimeSeconds: 100, idleSeconds: 100, now: at(20))
      poll.description.platform = "tv"
      _ = try probe.store.poll(poll)
      try expectDevice("My phone", "tv", seen: 20, "a device after a device code")
      _ = try probe.store.begin(family(5, nil, at: 30))
      probe.expectEqual(try probe.store.devices(user: "u1", limit: 9).count, 1, "the number of devices")
      probe.expectFailure(.exists, "an id that is taken") { () throws(Failure) in
        _ = try probe.store.begin(family(5, "d2", at: 40))
      }
      probe.expect(try probe.store.device(user: "u1", id: "d2") == nil, "a device of a family that did not begin")
    },
    Check("begin-twice", "neither an id nor a handle is used twice, and nothing is left of the attempt") {
      probe throws(Failure) in
      let family = try probe.begin()
      var other = family
      other.id = "sid-2"
      probe.expectFailure(.exists, "a handle that is taken") { () throws(Failure) in _ = try probe.store.begin(other) }
      (other.id, other.handle) = ("sid-1", handle(2))
      probe.expectFailure(.exists, "an id that is taken") { () throws(Failure) in _ = try probe.store.begin(other) }
      probe.expectEqual(
        try probe.store.liveFamilies(user: nil, device: nil, now: start, limit: 9), [family], "the families")
    },
    Check("find", "a family is found by any token that is or was one of its own, and by no other") {
      probe throws(Failure) in
      try probe.begin(1)
      try probe.begin(2)
      for step in 0..<3 { try probe.expectRotated(probe.rotation(step, step + 1), "rotation \(step)") }
      for token in 0...3 {
        let found = try probe.store.family(handle: handle(1), presented: [hash(7, pepper: 2), hash(1_000 + token)])
        probe.expectEqual(found?.id, "sid-1", "the family of token \(token)")
      }
      for (number, token) in [(1, hash(1_004)), (1, hash(2_000)), (2, hash(1_000)), (3, hash(1_000))] {
        let found = try probe.store.family(handle: handle(number), presented: [token])
        probe.expect(found == nil, "family \(number) is found by a token that is none of its own")
      }
      probe.expect(try probe.store.family(handle: handle(1), presented: []) == nil, "a family is found by no token")
      _ = try probe.store.end(.id("sid-1"), .revoked, now: at(20), denyUntil: nil)
      let ended = try probe.store.family(handle: handle(1), presented: [hash(1_000)])
      probe.expectEqual(ended?.end, .revoked, "the end of a family that is found")
    },
    Check("live", "live families are listed newest first, by user and device, and no more than asked for") {
      probe throws(Failure) in
      try probe.begin(1, device: "d1", at: at(1))
      try probe.begin(2, device: "d2", at: at(2))
      try probe.begin(3, user: "u2", device: "d1", at: at(3))
      try probe.begin(4, device: nil, at: at(4))
      try probe.begin(5, lifetime: 50, at: at(5))
      try probe.begin(6, idle: 50, at: at(6))
      try probe.begin(7, at: at(7))
      _ = try probe.store.end(.id("sid-7"), .logout, now: at(8), denyUntil: nil)
      func ids(_ user: String?, _ device: String?, _ seconds: Int64, _ limit: Int = 99) throws(Failure) -> [String] {
        try probe.another().liveFamilies(user: user, device: device, now: at(seconds), limit: limit).map(\.id)
      }
      probe.expectEqual(try ids(nil, nil, 10), [6, 5, 4, 3, 2, 1].map { "sid-\($0)" }, "all")
      probe.expectEqual(try ids(nil, nil, 55), [6, 4, 3, 2, 1].map { "sid-\($0)" }, "all after one expired")
      probe.expectEqual(try ids(nil, nil, 56), [4, 3, 2, 1].map { "sid-\($0)" }, "all after one more was idle")
      probe.expectEqual(try ids("u1", nil, 100), ["sid-4", "sid-2", "sid-1"], "those of a user")
      probe.expectEqual(try ids(nil, "d1", 100), ["sid-3", "sid-1"], "those of a device")
      probe.expectEqual(try ids("u2", "d1", 100), ["sid-3"], "those of a user's device")
      probe.expectEqual(try ids("u1", nil, 100, 2), ["sid-4", "sid-2"], "the two newest")
      probe.expectEqual(try ids("u3", nil, 100), [], "those of nobody")
    },
    Check("end", "families are ended by id, user or device, and denied; once each") {
      probe throws(Failure) in
      try probe.begin(1, device: "d1")
      try probe.begin(2, device: "d2")
      try probe.begin(3, user: "u2", device: "d1")
      try probe.begin(4, user: "u2", client: "other", device: "d2")
      try probe.begin(5, user: "u3", device: "d3")
      try probe.begin(6, user: "u3", device: "d3")
      func end(_ which: FamilySelection, _ reason: Family.End, _ until: Timestamp?) throws(Failure) -> [String] {
        let ended = try probe.store.end(which, reason, now: at(10), denyUntil: until)
        probe.expect(ended.allSatisfy { $0.end == reason }, "ended families are returned as they were before")
        return ended.map(\.id).sorted()
      }
      probe.expectEqual(try end(.id("sid-9"), .logout, at(900)), [], "nobody's family")
      probe.expectEqual(try end(.id("sid-5"), .revoked, at(900)), ["sid-5"], "one family")
      probe.expectEqual(try end(.id("sid-5"), .logout, at(900)), [], "one family, again")
      probe.expectEqual(try end(.device(user: "u2", device: "d1"), .device, nil), ["sid-3"], "a user's device")
      probe.expectEqual(try end(.user("u3"), .password, nil), ["sid-6"], "a user")
      probe.expectEqual(try end(.user("u1"), .logout, at(700)), ["sid-1", "sid-2"], "another user")
      probe.expectEqual(
        try probe.another().denied(now: at(10)), ["sid-5": at(900), "sid-1": at(700), "sid-2": at(700)], "denials")
      try probe.expectEnd(.revoked, of: 5, "the first reason")
      try probe.expectEnd(.password, of: 6, "the user's")
      try probe.expectEnd(nil, of: 4, "a family that was not meant")
    },
    Check("end-some", "of a client's families, or of all, so many are ended in a step, each once, until none is left") {
      probe throws(Failure) in
      for number in 1...9 { try probe.begin(number, user: "u\(number % 3)", client: number < 6 ? "mobile" : "tv") }
      _ = try probe.store.end(.id("sid-1"), .logout, now: at(9), denyUntil: nil)
      func some(_ which: ManyFamilies, _ limit: Int) throws(Failure) -> [String] {
        let ended = try probe.another().endSome(
          which, limit: limit, .administrator, now: at(10), denyUntil: at(900), audit: nil)
        probe.expect(ended.allSatisfy { $0.end == .administrator }, "ended families are returned as they were before")
        return ended.map(\.id)
      }
      probe.expectEqual(try some(.client("other"), 9), [], "another client's families")
      probe.expectEqual(try some(.all, 0), [], "none of all")
      var steps: [[String]] = []
      for _ in 1...3 { steps.append(try some(.client("mobile"), 3)) }
      probe.expectEqual(steps.map(\.count), [3, 1, 0], "how many of a client's families each step ended")
      probe.expectEqual(
        steps.joined().sorted(), ["sid-2", "sid-3", "sid-4", "sid-5"], "the client's families that were ended")
      try probe.expectEnd(nil, of: 6, "another client's family")
      steps = []
      for _ in 1...4 { steps.append(try some(.all, 2)) }
      probe.expectEqual(steps.map(\.count), [2, 2, 0, 0], "how many of all each step ended")
      probe.expectEqual(steps.joined().sorted(), ["sid-6", "sid-7", "sid-8", "sid-9"], "what was left")
      try probe.expectEnd(.logout, of: 1, "a family that had ended")
      let denied = try probe.another().denied(now: at(10))
      probe.expectEqual(denied.keys.sorted(), (2...9).map { "sid-\($0)" }, "denials")
      probe.expect(denied.values.allSatisfy { $0 == at(900) }, "until when they are denied")
    },
    Check("deny", "what is denied is denied until its time, and never less long than it was") { probe throws(Failure) in
      try probe.store.deny("a", until: at(100))
      try probe.store.deny("b", until: at(50))
      try probe.store.deny("a", until: at(60))
      try probe.store.deny("b", until: at(70))
      for store in [probe.store, try probe.another()] {
        probe.expectEqual(try store.denied(now: at(0)), ["a": at(100), "b": at(70)], "what is denied")
        probe.expectEqual(try store.denied(now: at(70)), ["a": at(100)], "what is denied after 70 s")
        probe.expectEqual(try store.denied(now: at(100)), [:], "what is denied after 100 s")
      }
    },
    Check("is-denied", "an id is denied until its time, whichever of those that are asked for it is") {
      probe throws(Failure) in
      try probe.store.deny("a", until: at(100))
      try probe.store.deny("b", until: at(50))
      let asked: [(ids: [String], seconds: Int64, isDenied: Bool)] = [
        (["a"], 0, true), (["b"], 49, true), (["b"], 50, false), (["x", "a"], 99, true), (["a", "x"], 99, true),
        (["b", "a"], 60, true), (["b", "a"], 100, false), (["x"], 0, false), (["A"], 0, false), ([], 0, false),
      ]
      for store in [probe.store, try probe.another()] {
        for (ids, seconds, isDenied) in asked {
          probe.expectEqual(try store.isDenied(ids, now: at(seconds)), isDenied, "whether \(ids) are at \(seconds) s")
        }
      }
    },
  ]
}
