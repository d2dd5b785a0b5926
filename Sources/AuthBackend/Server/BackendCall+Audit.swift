internal import BackendStore
internal import Basics

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

  /// Tells the operator's side of what a step of the store's wrote into the audit log.
  func tell(_ entries: [AuditEntry], alert: Bool = false) {
    for entry in entries {
      backend.metrics.event(entry.event)
      backend.onEvent(
        BackendEvent(
          name: entry.event, fields: entry.fields.map { ($0.name, $0.value) }, isAlert: alert, at: entry.at))
    }
  }
}
