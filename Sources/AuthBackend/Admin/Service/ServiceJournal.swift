internal import AuthBackend
internal import BackendKeys
internal import BackendStore
internal import Basics

/// Tells of what the server does by itself.
struct ServiceJournal: Sendable {
  let backend: Backend

  func note(_ events: [KeyEvent]) {
    for event in events {
      let fields =
        [(name: "purpose", value: event.purpose.rawValue), (name: "number", value: "\(event.number)")]
        + (event.keyID.isEmpty ? [] : [(name: "kid", value: event.keyID)]) + [(name: "at", value: event.at.rfc3339)]
      backend.announce("key.\(event.kind.rawValue)", fields)
    }
  }

  /// Runs something that must not end the server; a failure is an alert.
  func attempt(_ name: String, _ body: () throws(Failure) -> Void) {
    do throws(Failure) { try body() } catch {
      backend.announce(name, [(name: "failure", value: error.description)], alert: true)
    }
  }
}
