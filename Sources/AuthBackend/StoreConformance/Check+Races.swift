internal import BackendStore
internal import Basics

extension Check {
  /// Many threads, half of them with an instance of their own, do at once what only one of them may.
  static let races: [Check] = [
    Check(
      "race-refresh", "of 50 refreshes of one token one is done, and the others are replays that end the family",
      isRace: true
    ) {
      probe throws(Failure) in
      try probe.begin()
      let outcomes = try race(probe, 50) { (store, index) throws(Failure) in
        var rotation = probe.rotation(0, 100 + index)
        rotation.denyUntil = at(900)
        return try store.rotate(rotation)
      }
      let rotated = outcomes.filter { if case .rotated = $0 { true } else { false } }
      let replays = outcomes.filter { if case .refused(.replay, _, endedNow: true) = $0 { true } else { false } }
      let late = outcomes.filter { if case .refused(.ended, _, endedNow: false) = $0 { true } else { false } }
      probe.expectEqual(
        [rotated.count, replays.count, late.count], [1, 1, 48], "rotated, replays, of an ended family")
      try probe.expectEnd(.replay, "after the race")
      probe.expectEqual(try probe.store.denied(now: start), ["sid-1": at(900)], "denials after the race")
    },
    Check("race-grace", "with a grace, all of 50 refreshes of one token get the same successor", isRace: true) {
      probe throws(Failure) in
      try probe.begin()
      let outcomes = try race(probe, 50) { (store, index) throws(Failure) in
        var rotation = probe.rotation(0, 100 + index, at: Int64(10 + index % 3))
        rotation.graceSeconds = 10
        return try store.rotate(rotation)
      }
      guard let live = try probe.another().family(id: "sid-1"), let user = try probe.store.user(id: live.user) else {
        return probe.report("the family is gone")
      }
      let winner = (0..<50).first { hash(1_100 + $0) == live.current }
      guard let winner else { return probe.report("the live token is nobody's successor") }
      let sealed: [UInt8] = [UInt8(truncatingIfNeeded: 100 + winner), 0, 255]
      probe.expectEqual(outcomes.filter { $0 == .rotated(live, user) }.count, 1, "how many were rotated")
      probe.expectEqual(
        outcomes.filter { $0 == .repeated(live, sealedSuccessor: sealed) }.count, 49, "how many got the same successor")
      probe.expectEqual(live.generation, 1, "how many rotations there were")
      try probe.expectEnd(nil, "after the race")
    },
    Check("race-replay", "a replay that races with a rotation leaves no live token behind", isRace: true) {
      probe throws(Failure) in
      try probe.begin()
      try probe.expectRotated(probe.rotation(0, 1), "the first rotation")
      let outcomes = try race(probe, 20) { (store, index) throws(Failure) in
        // The thief brings the spent token, the owner goes on from the live one.
        try store.rotate(probe.rotation(index % 2, 100 + index))
      }
      try probe.expectEnd(.replay, "after the race")
      let replays = outcomes.filter { if case .refused(.replay, _, endedNow: true) = $0 { true } else { false } }
      probe.expectEqual(replays.count, 1, "how many ended the family")
      for token in [1] + (100..<120) {
        try probe.expectRefused(probe.rotation(token, 999), .ended, "token \(token) after the race")
      }
    },
    Check(
      "race-link", "of many subjects that want one user, and of many users that want one subject, one is linked",
      isRace: true
    ) {
      probe throws(Failure) in
      for number in 0..<10 { try probe.addUser("u\(number)") }
      let outcomes = try race(probe, 20) { (store, index) throws(Failure) in
        let (subject, user) = index % 2 == 0 ? ("s", "u\(index / 2)") : ("s\(index)", "u0")
        return try store.linkIdentity(IdentityLink(issuer: "apple", subject: subject, user: user, linkedAt: start))
      }
      var subjects: [String] = []
      for number in 0..<10 { subjects += try probe.store.identityLinks(user: "u\(number)").map(\.subject) }
      probe.expectEqual(subjects.count, outcomes.filter { $0 }.count, "how many links there are")
      probe.expectEqual(Set(subjects).count, subjects.count, "how many subjects are linked")
      let own = try probe.store.identityLinks(user: "u0").count
      let shared = try probe.store.identityLink(issuer: "apple", subject: "s")
      probe.expect(own == 1 && shared != nil, "nobody was linked")
    },
    Check("race-audited", "of many steps at once each has its record, and the chain is whole", isRace: true) {
      probe throws(Failure) in
      for number in 0..<40 { try probe.begin(number) }
      let outcomes = try race(probe, 40) { (store, index) throws(Failure) in
        // Each family is ended twice.
        try store.end(.id("sid-\(index / 2)"), .logout, now: at(1), denyUntil: nil) { ended in
          ended.map { AuditEntry("step.ended", [.init("sid", $0.id)], at: at(1)) }
        }
      }
      let records = try probe.another().auditRecords(after: 0, limit: 99)
      let told = records.compactMap { $0.fields.first?.value }.sorted()
      probe.expectEqual(told, outcomes.joined().map(\.id).sorted(), "the families that the log says ended")
      probe.expectEqual(told, (0..<20).map { "sid-\($0)" }.sorted(), "the families that ended")
      probe.expectEqual(
        try probe.store.verifyAudit(), AuditVerdict(good: 20, firstBroken: nil, head: records.last?.digest ?? []),
        "the chain")
    },
    Check("race-revoke", "a revocation that races with rotations leaves no live token behind", isRace: true) {
      probe throws(Failure) in
      try probe.begin()
      _ = try race(probe, 8) { (store, index) throws(Failure) in
        if index == 3 {
          _ = try store.end(.id("sid-1"), .revoked, now: at(10), denyUntil: at(900))
        } else {
          var token = 0
          while token < 5, case .rotated = try store.rotate(probe.rotation(token, token + 1)) { token += 1 }
        }
        return true
      }
      let family = try probe.another().family(id: "sid-1")
      probe.expect(
        family?.end == .revoked || family?.end == .replay, "the family goes on: \(String(describing: family))")
      let spent = family?.end == .revoked ? family?.generation ?? 0 : 0
      for token in 0...6 {
        try probe.expectRefused(
          probe.rotation(token, 99), token < spent ? .replay : .ended, "token \(token) after the race")
      }
    },
    Check(
      "race-redeem", "of 20 redemptions of one code one succeeds, and its family is ended by the others", isRace: true
    ) {
      probe throws(Failure) in
      try probe.addUser()
      try probe.addCode()
      let outcomes = try race(probe, 20) { (store, index) throws(Failure) in
        try store.redeem(probe.redemption(1, family: 1 + index))
      }
      let redeemed = outcomes.filter { if case .redeemed = $0 { true } else { false } }
      let replays = outcomes.filter { if case .refused(.replay, _, _) = $0 { true } else { false } }
      probe.expectEqual([redeemed.count, replays.count], [1, 19], "redeemed and replays")
      let live = try probe.store.liveFamilies(user: nil, device: nil, now: at(10), limit: 99)
      probe.expectEqual(live.count, 0, "how many families live on")
    },
    Check("race-device-code", "of 20 polls of one approved device code one is granted", isRace: true) {
      probe throws(Failure) in
      try probe.addUser()
      try probe.store.add(
        DeviceAuthorization(
          hash: hash(700), userCode: "C", client: "tv", device: nil, scopes: ["a"], createdAt: start,
          expiresAt: at(600),
          intervalSeconds: 0))
      _ = try probe.store.decide(userCode: "C", .approve(user: "u1", authTime: start), now: start)
      let outcomes = try race(probe, 20) { (store, index) throws(Failure) in
        try store.poll(
          DevicePoll(
            presented: [hash(700)], client: "tv", device: nil, handle: handle(index), id: "sid-\(index)",
            first: hash(index), lifetimeSeconds: 100, idleSeconds: 100, now: at(10)))
      }
      let granted = outcomes.filter { if case .granted = $0 { true } else { false } }
      probe.expectEqual([granted.count, outcomes.filter { $0 == .unknown }.count], [1, 19], "granted and unknown")
      probe.expectEqual(
        try probe.store.liveFamilies(user: nil, device: nil, now: at(10), limit: 99).count, 1, "families")
    },
    Check("race-key", "of several instances that add a key after the same one, one does", isRace: true) {
      probe throws(Failure) in
      let added = try race(probe, 8) { (store, index) throws(Failure) in
        try store.add(
          SealedKey(
            purpose: .signing, keyID: "k\(index)", algorithm: "EdDSA", publicJWK: "{}", sealed: [1], createdAt: start,
            activeAt: start), ifNewestIs: 0)
      }
      probe.expectEqual(added.compactMap { $0 }, try probe.store.keys(.signing), "the keys that were added")
      probe.expectEqual(added.filter { $0 != nil }.count, 1, "how many were added")
    },
    Check("race-key-retire", "a key that is taken out of use stays so, whoever retires it meanwhile", isRace: true) {
      probe throws(Failure) in
      let key = SealedKey(
        purpose: .signing, keyID: "k", algorithm: "EdDSA", publicJWK: "{}", sealed: [1], createdAt: start,
        activeAt: start)
      guard let number = try probe.store.add(key, ifNewestIs: 0)?.number else {
        return probe.report("no key was added")
      }
      let changes = try race(probe, 20) { (store, index) throws(Failure) in
        index == 7
          ? try store.withdraw(number, at: at(10))
          : try store.retire(number, retiredAt: at(5_000 - Int64(index)), removedAt: at(9_000 - Int64(index)))
      }
      let kept = try probe.another().keys(.signing).first
      probe.expectEqual([kept?.retiredAt, kept?.removedAt], [at(10), at(10)], "when it is retired and removed")
      probe.expect(changes[7], "to take it out of use changed nothing")
    },
    Check("race-put", "of several who add a client or a resource server of one name, one does", isRace: true) {
      probe throws(Failure) in
      let (clients, servers) = (Monitor(0), Monitor(0))
      _ = try race(probe, 12) { (store, index) throws(Failure) in
        func count(_ monitor: borrowing Monitor<Int>, _ body: () throws(Failure) -> Void) throws(Failure) {
          do throws(Failure) {
            try body()
            monitor.withLock { $0 += 1 }
          } catch { guard error.code == .exists else { throw error } }
        }
        try count(clients) { () throws(Failure) in
          _ = try store.put(Client(id: "c", name: "\(index)", redirectURIs: []), mayReplace: false, audit: nil)
        }
        let server = ResourceServer(name: "r", audience: "\(index)", secret: hash(index), createdAt: start)
        try count(servers) { () throws(Failure) in _ = try store.put(server, mayReplace: false, audit: nil) }
      }
      probe.expectEqual(clients.withLock { $0 }, 1, "how many clients were added")
      probe.expectEqual(servers.withLock { $0 }, 1, "how many resource servers were added")
    },
    Check("race-user", "of 20 who change what they have read, each change is made after another look", isRace: true) {
      probe throws(Failure) in
      try probe.begin()
      _ = try race(probe, 20) { (store, index) throws(Failure) in
        while true {
          guard let known = try store.user(id: "u1") else { return probe.report("the user is gone") }
          var changed = known
          changed.claims["c\(index)"] = .bool(true)
          if try store.change(changed, ifWas: known, ending: nil, now: start, denyUntil: nil) != nil { return }
        }
      }
      probe.expectEqual(try probe.another().user(id: "u1")?.claims.count, 20, "how many changes are there")
    },
    Check("race-attempts", "attempts at once count as those one after another: no more than are free", isRace: true) {
      probe throws(Failure) in
      let outcomes = try race(probe, 20) { (store, _) throws(Failure) in
        let rule = AttemptRule(key: "k", free: 3, firstDelaySeconds: 60, maximumDelaySeconds: 60, forgetSeconds: 600)
        return try store.attempt([rule], now: at(1))
      }
      let allowed = outcomes.filter { if case .allowed = $0 { true } else { false } }
      probe.expectEqual(allowed.count, 4, "how many were allowed")
    },
    Check("race-once", "of 20 who bring one challenge or one digest, one is first", isRace: true) {
      probe throws(Failure) in
      try probe.store.add(AttestationChallenge(value: [1], client: "c", createdAt: start, expiresAt: at(60)))
      try probe.addUser()
      let first = try race(probe, 20) { (store, index) throws(Failure) -> [Bool] in
        let outcome = try store.spendChallenge([1], client: "c", now: at(1))
        let isGood = if case .good = outcome { true } else { false }
        let family = Family(
          id: "sid-\(index)", handle: handle(index), user: "u1", client: "mobile", device: nil, scopes: [],
          authTime: start, createdAt: start, expiresAt: at(100), idleSeconds: 100, current: hash(index * 1_000))
        let proof = SpentOnce(digest: [1], until: at(60))
        return [isGood, try store.begin(family, on: DeviceDescription(), spending: proof) == .begun()]
      }
      for (index, what) in ["challenge", "digest"].enumerated() {
        probe.expectEqual(first.filter { $0[index] }.count, 1, "how many were first with the \(what)")
      }
    },
    Check(
      "race-finding", "of 20 sign-ins with one counter, or with one new key for devices of their own, one begins",
      isRace: true
    ) {
      probe throws(Failure) in
      try probe.expect(.begun(), of: SignIn(number: 1, way: .once, finding: finding(.newKey(key(1)))), "a new key")
      let signIns = (0..<40).map { index in
        let evidence = index < 20 ? DeviceFinding.Evidence.assertion(key(1, counter: 1)) : .newKey(key(2))
        return SignIn(
          number: 10 + index, way: SignInWay.allCases[index % 3], device: index < 20 ? "d1" : "e\(index)",
          finding: finding(evidence))
      }
      for signIn in signIns { try probe.grant(signIn) }
      let outcomes = try race(probe, 40) { (store, index) throws(Failure) in
        try probe.begin(signIns[index], in: store)
      }
      for (what, some, misfit) in [("counter", 0..<20, DeviceMisfit.counter), ("key", 20..<40, .keyTaken)] {
        let begun = outcomes[some].count { $0 == .begun() }
        let refused = outcomes[some].count { $0 == .unattested(misfit) }
        probe.expectEqual([begun, refused], [1, 19], "begun and refused with one \(what)")
      }
      let live = try probe.store.liveFamilies(user: nil, device: nil, now: at(10), limit: 99)
      probe.expectEqual(live.count, 3, "families")
      try probe.expectDevice(key: key(1, counter: 1), "refused: counter", "the device")
    },
    Check("race-audit", "records that are written at once make one chain", isRace: true) { probe throws(Failure) in
      let numbers = try race(probe, 20) { (store, index) throws(Failure) in
        try store.audit("event", [("index", String(index))], at: at(Int64(index)))
      }
      probe.expectEqual(numbers.sorted(), (1...20).map { Int64($0) }, "the numbers")
      let verdict = try probe.another().verifyAudit()
      probe.expectEqual([verdict.good, verdict.firstBroken ?? 0], [20, 0], "good records and the first broken one")
    },
  ]

  /// Runs `body` on many threads; those with even numbers share one instance, four others share the rest.
  private static func race<T: Sendable>(
    _ probe: Probe, _ count: Int, _ body: @escaping @Sendable (any AuthStore, Int) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    var others: [any AuthStore] = []
    for _ in 0..<4 { others.append(try probe.another()) }
    let stores = others
    return try probe.together(count) { index throws(Failure) in
      try body(index.isMultiple(of: 2) ? probe.store : stores[index / 2 % 4], index)
    }
  }
}
