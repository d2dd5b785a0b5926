internal import BackendStore
internal import Basics

extension Check {
  private static func told<T>(_ what: String, _ describe: @escaping @Sendable (T) -> String) -> Auditing<T> {
    { outcome in [AuditEntry("step.\(what)", [.init("outcome", describe(outcome))], at: at(7))] }
  }

  private static func ids(_ what: String) -> Auditing<[Family]> {
    told(what) { families in families.map { "\($0.id) \($0.end?.rawValue ?? "")" }.joined(separator: ", ") }
  }

  /// Steps that the audit log is told of as they are done.
  static let audited: [Check] = [
    Check("audited", "what a step is told by stands in the audit log after it, made of its outcome") {
      probe throws(Failure) in
      for number in 1...9 { try probe.begin(number, client: number < 8 ? "mobile" : "tv", device: "d\(number)") }
      try probe.store.put(Client(id: "tv", name: "", redirectURIs: []))
      var rotation = probe.rotation(0, 1)
      (rotation.device, rotation.audit) = ("d1", told("rotate") { "\($0)".prefix { $0 != "(" } + "" })
      _ = try probe.store.rotate(rotation)
      let later = Monitor(false)
      probe.store.rotate(rotation, isAlone: false) { _ in later.withLock { $0 = true } }
      _ = later.wait(until: .now().advanced(bySeconds: 20)) { $0 ? true : nil }
      try probe.addCode(1)
      var redemption = probe.redemption(1, family: 20)
      redemption.challenge = "challenge-x"
      redemption.audit = told("redeem") { $0 == .refused(.mismatch, user: "u1", ended: nil) ? "mismatch" : "\($0)" }
      _ = try probe.store.redeem(redemption)
      for (number, way) in [(30, SignInWay.deviceCode), (31, .once)] {
        var signIn = SignIn(number: number, way: way, user: "u2")
        signIn.audit = AuditEntry("step.\(way)", [.init("outcome", "begun")], at: at(7))
        try probe.grant(signIn)
        _ = try probe.begin(signIn, in: probe.store)
      }
      _ = try probe.store.end(.id("sid-2"), .logout, now: at(5), denyUntil: nil, audit: ids("end"))
      _ = try probe.store.endSome(
        .client("tv"), limit: 1, .administrator, now: at(5), denyUntil: nil, audit: ids("end-some"))
      let gone = try probe.store.removeClient(
        "tv", now: at(5), denyUntil: nil,
        audit: told("remove-client") { $0?.map(\.id).joined(separator: ", ") ?? "none" })
      probe.expectEqual(gone?.map(\.end), [.administrator], "what the removal of the client ended")
      _ = try probe.store.removeDevice(
        user: "u1", id: "d3", now: at(5), denyUntil: nil, audit: ids("remove-device"))
      guard let user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      var other = user
      other.name = "other"
      let none = try probe.store.change(
        other, ifWas: other, ending: .password, now: at(5), denyUntil: nil,
        audit: told("change-if") { "\($0?.count ?? -1)" })
      probe.expect(none == nil, "a user who is not as known was changed")
      let known = try probe.store.change(
        other, ifWas: user, ending: nil, now: at(5), denyUntil: nil, audit: told("change-if") { "\($0?.count ?? -1)" })
      probe.expectEqual(known, [], "families that a change of name ended")
      _ = try probe.store.change(
        user, ending: .password, now: at(5), denyUntil: nil, audit: told("change") { "\($0.count)" })
      let key = SealedKey(
        purpose: .signing, keyID: "k", algorithm: "a", publicJWK: "{}", sealed: [1], createdAt: start, activeAt: start)
      let added = try probe.store.add(key, ifNewestIs: 0, audit: told("add-key") { $0?.keyID ?? "none" })
      for _ in 1...2 {
        try probe.store.retire(
          added?.number ?? 0, retiredAt: at(1), removedAt: at(2), audit: told("retire-key") { "\($0)" })
      }
      for (subject, user) in [("s1", "u1"), ("s1", "u1"), ("s2", "u1"), ("s1", "u2")] {
        _ = try probe.store.linkIdentity(
          IdentityLink(issuer: "apple", subject: subject, user: user, linkedAt: start), audit: told("link") { "\($0)" })
      }
      let expected = [
        "step.rotate rotated", "step.rotate refused", "step.redeem mismatch", "step.deviceCode begun",
        "step.once begun", "step.end sid-2 logout", "step.end-some sid-8 administrator", "step.remove-client sid-9",
        "step.remove-device sid-3 device", "step.change-if -1", "step.change-if 0", "step.change 4", "step.add-key k",
        "step.retire-key true", "step.retire-key false", "step.link true", "step.link false", "step.link false",
        "step.link false",
      ]
      let records = try probe.another().auditRecords(after: 0, limit: 99)
      probe.expectEqual(
        records.map { "\($0.event) \($0.fields.first?.value ?? "?")" }, expected, "what the log has")
      probe.expect(records.allSatisfy { $0.at == at(7) }, "the records have another time")
      probe.expectEqual(try probe.store.verifyAudit().good, Int64(expected.count), "the chain")
      probe.expectEqual(try probe.store.lastAuditNumber(), Int64(expected.count), "the last number")
    },
    Check("audited-refused", "a step that throws tells the audit log nothing, and several records are all there") {
      probe throws(Failure) in
      try probe.begin()
      probe.expectFailure(.notFound, "removing no device") { () throws(Failure) in
        _ = try probe.store.removeDevice(
          user: "u1", id: "d9", now: at(5), denyUntil: nil, audit: ids("remove-device"))
      }
      probe.expectFailure(.notFound, "retiring no key") { () throws(Failure) in
        try probe.store.retire(9, retiredAt: start, removedAt: start, audit: told("retire-key") { _ in "" })
      }
      probe.expectEqual(try probe.store.auditRecords(after: 0, limit: 9), [], "the log after that")
      _ = try probe.store.end(.id("sid-1"), .logout, now: at(5), denyUntil: nil) { ended in
        (1...3).map { AuditEntry("step.\($0)", [.init("count", "\(ended.count)")], at: at(5)) }
      }
      let records = try probe.another().auditRecords(after: 0, limit: 9)
      probe.expectEqual(records.map(\.event), ["step.1", "step.2", "step.3"], "the log after three")
      probe.expectEqual(try probe.store.verifyAudit().good, 3, "the chain")
    },
  ]
}
