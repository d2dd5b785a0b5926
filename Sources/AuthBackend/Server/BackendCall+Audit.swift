internal import BackendStore
internal import Basics
internal import Synchronization

extension BackendCall {
  /// A record for the audit log.
  func entry(_ event: String, _ fields: KeyValuePairs<String, String?>) -> AuditEntry {
    AuditEntry(
      event,
      fields.compactMap { field in field.value.map { .init(field.key, LogText.shown($0)) } }, at: now)
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
          let passage = backend.records.pass(entry.event, rule.kind, share: rule.share, now: entry.at)
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

extension BackendCall {
  /// Writes an event into the audit log and tells the operator's side. A log that cannot be written must not keep a revocation from
  /// taking effect, so it is an event of its own. Of what anybody may cause in any number the first is recorded, see ``EventRule``, which
  /// also says what `account` is.
  func report(_ name: String, _ fields: KeyValuePairs<String, String?>, account: String? = nil, alert: Bool = false) {
    let fields = facts(fields), rule = EventRule(name, fields, account: account)
    let passage =
      rule.isAlwaysRecorded
      ? Floods.Passage(repeated: 0, others: 0) : backend.records.pass(name, rule.kind, share: rule.share, now: now)
    if let passage {
      do throws(Failure) { _ = try store.audit(name, fields + passage.fields, at: now) } catch {
        let failure = [(name: "failure", value: LogText.shown(error.description))]
        tell("audit.failed", failure, EventRule("audit.failed", failure), alert: true)
      }
    }
    tell(name, fields, rule, alert: alert)
  }

  /// Tells the operator's side of what the audit log does not have. Waits for nobody.
  func announce(_ name: String, _ fields: KeyValuePairs<String, String?>, alert: Bool = false) {
    let fields = facts(fields)
    tell(name, fields, EventRule(name, fields), alert: alert)
  }

  func tell(_ name: String, _ fields: [EventRule.Field], _ rule: EventRule, alert: Bool) {
    backend.tell(name, fields, rule, alert: alert, now: now)
  }

  private func facts(_ fields: KeyValuePairs<String, String?>) -> [EventRule.Field] {
    fields.compactMap { field in field.value.map { (name: field.key, value: LogText.shown($0)) } }
  }
}

extension Backend {
  /// Tells the operator's side of what the server did by itself, or failed to do. Equal alerts within a minute are one here too.
  public func announce(_ name: String, _ fields: [(name: String, value: String)], alert: Bool = false) {
    tell(name, fields, EventRule(name, fields), alert: alert, now: clock())
  }

  // Equal alerts within a minute are one, and the rest are events as others are.
  func tell(_ name: String, _ fields: [EventRule.Field], _ rule: EventRule, alert: Bool, now: Timestamp) {
    metrics.event(name)
    let passage =
      alert && !rule.isAnybodys ? alerts.pass(name, rule.kind, share: rule.share, now: now) : nil
    onEvent(BackendEvent(name: name, fields: fields + (passage?.fields ?? []), isAlert: passage != nil, at: now))
  }
}

private final class Decided: Sendable {
  let passages = Mutex<[String: Floods.Passage?]>([:])
}
