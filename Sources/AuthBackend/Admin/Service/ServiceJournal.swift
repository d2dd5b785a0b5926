internal import AuthBackend
internal import BackendKeys
internal import BackendStore
internal import Basics

/// Tells of what the server does by itself.
struct ServiceJournal: Sendable {
  let tell: @Sendable (BackendEvent) -> Void

  func note(_ events: [KeyEvent]) {
    for event in events {
      let fields =
        [("purpose", event.purpose.rawValue), ("number", "\(event.number)")]
        + (event.keyID.isEmpty ? [] : [("kid", event.keyID)]) + [("at", event.at.rfc3339)]
      tell(BackendEvent(name: "key.\(event.kind.rawValue)", fields: fields, isAlert: false, at: .now()))
    }
  }

  /// Runs something that must not end the server; a failure is an alert.
  func attempt(_ name: String, _ body: () throws(Failure) -> Void) {
    do throws(Failure) { try body() } catch {
      tell(BackendEvent(name: name, fields: [("failure", error.description)], isAlert: true, at: .now()))
    }
  }
}
