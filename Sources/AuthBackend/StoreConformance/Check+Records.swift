internal import BackendStore
internal import Basics

extension Check {
  /// The audit log, housekeeping, and the store as a whole.
  static let records: [Check] = [
    Check("audit", "records are numbered from 1 without a gap, kept in order as they are, and verified") {
      probe throws(Failure) in
      probe.expectEqual(
        try probe.store.verifyAudit(), AuditVerdict(good: 0, firstBroken: nil, head: []), "an empty log")
      let fields = [("user", "u1"), ("user", ""), ("text", "\"\\ \n\u{0} \u{202E}\u{1F512}")]
      for number: Int64 in 1...3 {
        let given = try probe.another().audit("event.\(number)", number == 2 ? [] : fields, at: at(-number))
        probe.expectEqual(given, number, "the number of a record")
      }
      let records = try probe.another().auditRecords(after: 0, limit: 9)
      probe.expectEqual(records.map(\.number), [1, 2, 3], "the numbers")
      probe.expectEqual(records.map(\.event), ["event.1", "event.2", "event.3"], "the events")
      probe.expectEqual(records.map(\.at), [at(-1), at(-2), at(-3)], "the times")
      probe.expectEqual(
        records.map(\.fields), [fields.map { .init($0.0, $0.1) }, [], fields.map { .init($0.0, $0.1) }], "the fields")
      probe.expectEqual(Set(records.map(\.digest)).count, 3, "the number of digests that differ")
      probe.expectEqual(try probe.store.auditRecords(after: 1, limit: 1), [records[1]], "one record")
      let verdict = try probe.store.verifyAudit()
      probe.expectEqual(
        verdict, AuditVerdict(good: 3, firstBroken: nil, head: records[2].digest), "the verdict on three records")
    },
    Check("prune", "what is over is removed and nothing else; families and codes are kept for a while after") {
      probe throws(Failure) in
      try probe.begin(1, lifetime: 100, idle: 100)
      try probe.begin(2, lifetime: 10_000, idle: 100)
      try probe.begin(3, lifetime: 10_000, idle: 10_000)
      try probe.begin(4, lifetime: 10_000, idle: 10_000)
      try probe.expectRotated(probe.rotation(0, 1, family: 4), "a rotation")
      _ = try probe.store.end(.id("sid-3"), .logout, now: at(100), denyUntil: at(100))
      try probe.store.deny("live", until: at(400))
      try probe.addCode(1)
      _ = try probe.store.redeem(probe.redemption(1, family: 5))
      try probe.addSession(expiresAt: at(400))
      try probe.store.prune(now: at(300), keepSeconds: 200) { true }
      try probe.store.prune(now: at(299), keepSeconds: 200)
      for number in 1...5 { try probe.expectEnd(number == 3 ? .logout : nil, of: number, "before it is time") }
      try probe.expectRefused(probe.redemption(1, family: 6, at: 299), .unknown, "a code, 200 s after its time")
      try probe.store.prune(now: at(300), keepSeconds: 200)
      for number in 1...3 {
        probe.expect(try probe.store.family(id: "sid-\(number)") == nil, "family \(number) is still there")
      }
      for number in 4...5 { try probe.expectEnd(nil, of: number, "a family that goes on") }
      probe.expectEqual(try probe.store.denied(now: start), ["live": at(400)], "denials that are not over")
      probe.expect(
        try probe.store.browserSession(presented: [hash(1)], now: at(300)) != nil, "a session that is not over is gone")
      try probe.expectRefused(probe.rotation(0, 2, family: 4, at: 300), .replay, endedNow: true, "a spent token")
    },
    Check("prune-grace", "what was sealed for a grace does not stay") { probe throws(Failure) in
      try probe.begin()
      try probe.expectRotated(probe.rotation(0, 1), "a rotation")
      try probe.store.prune(now: at(100), keepSeconds: 1_000)
      var again = probe.rotation(0, 2, at: 11)
      again.graceSeconds = 10
      try probe.expectRefused(again, .replay, endedNow: true, "the predecessor, after what was sealed for it is gone")
    },
    Check("prune-code", "the replay of a code is seen for a while after its time") { probe throws(Failure) in
      try probe.addUser()
      try probe.addCode()
      _ = try probe.store.redeem(probe.redemption())
      try probe.store.prune(now: at(259), keepSeconds: 200)
      try probe.expectRefused(probe.redemption(1, family: 2, at: 259), .replay, ended: "sid-1", "the code, 199 s after")
    },
    Check("probe", "the store says that it can be written") { probe throws(Failure) in
      try probe.store.probe()
      try probe.another().probe()
    },
  ]
}
