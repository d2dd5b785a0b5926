public import Basics

extension AuthStore {
  /// Ends many families, `batch` in a step, and gives those of each step to `body`. Returns how many had not ended. A sign-in that is
  /// completed meanwhile may be among them or not. What was ended before this throws, or the process is killed, stays ended.
  public func endAll(
    _ which: ManyFamilies, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?, batch: Int = 500,
    _ body: ([Family]) throws(Failure) -> Void = { (_) throws(Failure) in }, audit: Auditing<[Family]>? = nil
  ) throws(Failure) -> Int {
    var count = 0
    while true {
      let ended = try endSome(
        which, limit: max(1, batch), reason, now: now, denyUntil: denyUntil, audit: audit)
      if ended.isEmpty { return count }
      count += ended.count
      try body(ended)
    }
  }

  /// Begins a family whose device is not described and that nothing is spent for. False, and nothing is begun, when the user is disabled
  /// or gone.
  public func begin(_ family: Family) throws(Failure) -> Bool {
    try begin(family, on: DeviceDescription(), spending: nil) == .begun()
  }

  /// Appends to the audit log: `event` and its fields, in order, none of them secret. Returns the record's number.
  public func audit(
    _ event: String, _ fields: [(name: String, value: String)], at: Timestamp
  ) throws(Failure) -> Int64 {
    try audit(AuditEntry(event, fields.map { AuditRecord.Field($0.name, $0.value) }, at: at))
  }
}

// The same calls for who tells the audit log nothing and goes to the end.
extension AuthStore {
  /// Begins a family without a code.
  public func begin(
    _ family: Family, on description: DeviceDescription, spending proof: SpentOnce?
  ) throws(Failure) -> BeginOutcome {
    try begin(family, on: description, spending: proof, admission: nil, audit: nil)
  }

  /// Ends families.
  public func end(
    _ which: FamilySelection, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    try end(which, reason, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Adds a client or replaces it.
  public func put(_ client: Client) throws(Failure) { _ = try put(client, mayReplace: true, audit: nil) }

  /// Adds a user.
  public func add(_ user: User) throws(Failure) { try add(user, audit: nil) }

  /// Links a subject to a user.
  public func linkIdentity(_ link: IdentityLink) throws(Failure) -> Bool { try linkIdentity(link, audit: nil) }

  /// Adds a resource server or replaces it.
  public func put(_ server: ResourceServer) throws(Failure) { _ = try put(server, mayReplace: true, audit: nil) }

  /// Removes a resource server.
  public func removeResourceServer(_ name: String) throws(Failure) -> Bool {
    try removeResourceServer(name, audit: nil)
  }

  /// Removes a client. False when there is none.
  public func removeClient(_ id: String, now: Timestamp, denyUntil: Timestamp?) throws(Failure) -> Bool {
    try removeClient(id, now: now, denyUntil: denyUntil, audit: nil) != nil
  }

  /// Changes a user.
  public func change(
    _ user: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    try change(user, ending: ending, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Changes a user who is still as known.
  public func change(
    _ user: User, ifWas known: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family]? {
    try change(user, ifWas: known, ending: ending, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Removes a device.
  public func removeDevice(
    user: String, id: String, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    try removeDevice(user: user, id: id, now: now, denyUntil: denyUntil, audit: nil)
  }

  /// Removes all that no longer matters.
  public func prune(now: Timestamp, keepSeconds: Int64) throws(Failure) {
    try prune(now: now, keepSeconds: keepSeconds) { false }
  }

  /// Adds a key.
  public func add(_ key: SealedKey, ifNewestIs newest: Int64) throws(Failure) -> SealedKey? {
    try add(key, ifNewestIs: newest, audit: nil)
  }

  /// Says when a key is retired and removed.
  @discardableResult
  public func retire(_ number: Int64, retiredAt: Timestamp, removedAt: Timestamp) throws(Failure) -> Bool {
    try retire(number, retiredAt: retiredAt, removedAt: removedAt, audit: nil)
  }
}
