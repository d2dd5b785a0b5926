internal import BackendStore
internal import Basics
internal import Synchronization

extension BackendCall {
  /// A record for the audit log.
  func entry(_ event: String, _ fields: KeyValuePairs<String, String?>) -> AuditEntry {
    AuditEntry(
      event,
      fields.compactMap { field in field.value.map { .init(field.key, OutsideText.clean($0, limit: 200)) } }, at: now)
  }

  /// One record for each family that ended.
  func entries(_ ended: [Family], _ reason: Family.End) -> [AuditEntry] {
    ended.map { family in
      entry(
        "family.ended",
        ["reason": reason.rawValue, "sid": family.id, "user": family.user, "client": family.client])
    }
  }

  /// The records of a step's that are to be written: of what anybody may cause in any number only the first, see ``EventRule``. A step
  /// that is tried again decides once.
  func recorded<Outcome>(_ audit: @escaping Auditing<Outcome>) -> Auditing<Outcome> {
    let decided = Decided()
    return { [self] outcome in
      audit(outcome).compactMap { entry in
        let rule = EventRule(entry.event, entry.fields.map { ($0.name, $0.value) })
        guard !rule.isAlwaysRecorded else { return entry }
        let passage = decided.passages.withLock { passages in
          let key = entry.event + "\n" + rule.kind
          if let known = passages[key] { return known }
          let passage = backend.records.pass(entry.event, rule.kind, now: entry.at)
          passages[key] = .some(passage)
          return passage
        }
        guard let passage else { return nil }
        var entry = entry
        entry.fields += passage.fields.map { .init($0.name, $0.value) }
        return entry
      }
    }
  }

  /// Tells the operator's side of what a step of the store's wrote into the audit log.
  func tell(_ entries: [AuditEntry], alert: Bool = false) {
    for entry in entries {
      let fields = entry.fields.map { (name: $0.name, value: $0.value) }
      tell(entry.event, fields, EventRule(entry.event, fields), alert: alert)
    }
  }
}

private final class Decided: Sendable {
  let passages = Mutex<[String: Floods.Passage?]>([:])
}
