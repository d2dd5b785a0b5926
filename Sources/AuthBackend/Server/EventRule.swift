internal import BackendStore
internal import Basics

/// What becomes of an event besides being counted in the metrics and written into the log.
struct EventRule {
  /// One fact of an event.
  typealias Field = (name: String, value: String)

  /// Whether each is a record of the audit log; otherwise the first from a place within a minute is, and the rest is counted.
  let isAlwaysRecorded: Bool
  /// Whether an alert of it has no valid credential behind it, so that anybody could raise any number.
  let isAnybodys: Bool
  /// Whether an alert of it is worth more than others when not all can be told.
  let isUrgent: Bool
  /// What makes two of them the same kind.
  let kind: String

  /// Events that need nothing valid, or something valid once, and can then be caused any number of times.
  private static let repeatable: Set<String> = [
    "account.refused", "attestation.refused", "authorize.refused", "code.refused", "device-code.refused",
    "logout.refused", "native.refused", "native.unavailable", "password.delayed", "password.refused", "refresh.refused",
    "resource.refused", "revoke.refused",
    "server.failure", "sign-in.delayed", "sign-in.failed", "user-code.delayed", "user-code.unknown",
  ]
  /// Facts that are the server's own or were found to be true. What a request only says, such as a client that may not be there, could
  /// be different each time.
  private static let telling: Set<String> = ["reason", "user", "sid", "provider", "endpoint"]

  init(_ name: String, _ fields: [Field]) {
    func has(_ field: String) -> Bool { fields.contains { $0.name == field } }
    let reason = fields.first { $0.name == "reason" }?.value
    let ends = EventRule.ends(name, fields)
    isAlwaysRecorded = !EventRule.repeatable.contains(name) || ends
    isAnybodys = name == "attestation.refused" && !has("user")
    isUrgent = EventRule.isUrgent(name, reason, ends: ends)
    // What is urgent is about one sign-in, and there are no more of it than sign-ins, from however many places it comes.
    let place = isUrgent ? nil : fields.first { $0.name == "address" }.map { AddressText.group($0.value) }
    let facts = fields.filter { EventRule.telling.contains($0.name) }.map { "\($0.name)=\($0.value)" }
    kind = (facts + (place.map { [$0] } ?? [])).joined(separator: "\n")
  }

  // A sign-in that ends by it can do so once.
  fileprivate static func ends(_ name: String, _ fields: [Field]) -> Bool {
    fields.contains { $0.name == "ended" || name == "code.refused" && $0.name == "sid" }
  }

  fileprivate static func isUrgent(_ name: String, _ reason: String?, ends: Bool) -> Bool {
    switch name {
    case "refresh.refused": ["replay", "failures", "device"].contains(reason)
    case "code.refused": ends
    case "keys.failed", "peppers.failed", "prune.failed", "audit.failed", "tls.failed": true
    default: false
    }
  }
}

extension BackendEvent {
  /// Whether an alert of it is worth more than others when not all of them can be told: something was stolen or is broken.
  public var isUrgent: Bool {
    EventRule.isUrgent(name, fields.first { $0.name == "reason" }?.value, ends: EventRule.ends(name, fields))
  }
}

extension Floods.Passage {
  /// As facts of what is let through.
  var fields: [EventRule.Field] {
    (repeated > 0 ? [("repeated", String(repeated))] : []) + (others > 0 ? [("others", String(others))] : [])
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
      alert && !rule.isAnybodys ? alerts.pass(name, rule.kind, isBounded: !rule.isUrgent, now: now) : nil
    onEvent(BackendEvent(name: name, fields: fields + (passage?.fields ?? []), isAlert: passage != nil, at: now))
  }
}

extension BackendCall {
  /// Writes an event into the audit log and tells the operator's side. A log that cannot be written must not keep a revocation from
  /// taking effect, so it is an event of its own. Of what anybody may cause in any number the first is recorded, see ``EventRule``.
  func report(_ name: String, _ fields: KeyValuePairs<String, String?>, alert: Bool = false) {
    let fields = facts(fields), rule = EventRule(name, fields)
    let passage =
      rule.isAlwaysRecorded
      ? Floods.Passage(repeated: 0, others: 0) : backend.records.pass(name, rule.kind, now: now)
    if let passage {
      do throws(Failure) { _ = try store.audit(name, fields + passage.fields, at: now) } catch {
        let failure = [(name: "failure", value: error.description)]
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
    fields.compactMap { field in field.value.map { (name: field.key, value: OutsideText.clean($0, limit: 200)) } }
  }
}
