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

  /// Appends to the audit log: `event` and its fields, in order, none of them secret. Returns the record's number.
  public func audit(
    _ event: String, _ fields: [(name: String, value: String)], at: Timestamp
  ) throws(Failure) -> Int64 {
    try audit(AuditEntry(event, fields.map { AuditRecord.Field($0.name, $0.value) }, at: at))
  }
}

// The keys of a store by themselves, as a ``KeyStore`` has them.
extension AuthStore {
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
