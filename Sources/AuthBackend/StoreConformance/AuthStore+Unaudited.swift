package import BackendStore
package import Basics

// Calls without a word for the audit log, for tests: nothing that serves or administers imports this module, so that none of it can forget
// a record.
extension AuthStore {
  /// Begins a family whose device is not described and that nothing is spent for. False, and nothing is begun, when the user is disabled
  /// or gone.
  package func begin(_ family: Family) throws(Failure) -> Bool {
    try begin(family, on: DeviceDescription(), spending: nil) == .begun()
  }

  /// Begins a family without a code.
  package func begin(
    _ family: Family, on description: DeviceDescription, spending proof: SpentOnce?
  ) throws(Failure) -> BeginOutcome {
    try begin(family, on: description, spending: proof, admission: nil, audit: nil)
  }

  /// Ends families.
  package func end(
    _ which: FamilySelection, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    try end(which, reason, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Adds a client or replaces it.
  package func put(_ client: Client) throws(Failure) { _ = try put(client, mayReplace: true, audit: nil) }

  /// Adds a user.
  package func add(_ user: User) throws(Failure) { try add(user, audit: nil) }

  /// Links a subject to a user.
  package func linkIdentity(_ link: IdentityLink) throws(Failure) -> Bool { try linkIdentity(link, audit: nil) }

  /// Adds a resource server or replaces it.
  package func put(_ server: ResourceServer) throws(Failure) { _ = try put(server, mayReplace: true, audit: nil) }

  /// Removes a resource server.
  package func removeResourceServer(_ name: String) throws(Failure) -> Bool {
    try removeResourceServer(name, audit: nil)
  }

  /// Removes a client. False when there is none.
  package func removeClient(_ id: String, now: Timestamp, denyUntil: Timestamp?) throws(Failure) -> Bool {
    try removeClient(id, now: now, denyUntil: denyUntil, audit: nil) != nil
  }

  /// Changes a user.
  package func change(
    _ user: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    try change(user, ending: ending, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Changes a user who is still as known.
  package func change(
    _ user: User, ifWas known: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family]? {
    try change(user, ifWas: known, ending: ending, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Removes a device.
  package func removeDevice(
    user: String, id: String, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    try removeDevice(user: user, id: id, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Removes all that no longer matters.
  package func prune(now: Timestamp, keepSeconds: Int64) throws(Failure) {
    try prune(now: now, keepSeconds: keepSeconds) { false }
  }

  /// All that is denied at a moment.
  package func denied(now: Timestamp) throws(Failure) -> [String: Timestamp] {
    Dictionary(try denied(now: now, after: "", limit: 1_000).map { ($0.id, $0.until) }) { max($0, $1) }
  }
}
