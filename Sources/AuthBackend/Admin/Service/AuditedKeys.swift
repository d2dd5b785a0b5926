public import BackendStore
public import Basics

/// The keys of a store, with a record of the audit log for whatever is done to one, in the same step.
public struct AuditedKeys: KeyStore {
  private let store: any AuthStore
  private let by: String?
  private let clock: @Sendable () -> Timestamp

  /// Those of a store; `by` is who does it, nil for the server by itself.
  public init(_ store: any AuthStore, by: String?, clock: @escaping @Sendable () -> Timestamp = { .now() }) {
    (self.store, self.by, self.clock) = (store, by, clock)
  }

  /// See ``BackendStore/KeyStore/keys(_:)``.
  public func keys(_ purpose: SealedKey.Purpose) throws(Failure) -> [SealedKey] { try store.keys(purpose) }

  /// See ``BackendStore/KeyStore/add(_:ifNewestIs:)``.
  public func add(_ key: SealedKey, ifNewestIs newest: Int64) throws(Failure) -> SealedKey? {
    let now = clock()
    return try store.add(key, ifNewestIs: newest) { made in
      made.map { [entry("key.made", $0, at: $0.activeAt, now)] } ?? []
    }
  }

  /// See ``BackendStore/KeyStore/retire(_:retiredAt:removedAt:)``.
  public func retire(_ number: Int64, retiredAt: Timestamp, removedAt: Timestamp) throws(Failure) -> Bool {
    try end(number, "key.retired", at: retiredAt, removedAt: removedAt)
  }

  /// See ``BackendStore/KeyStore/withdraw(_:at:)``.
  public func withdraw(_ number: Int64, at moment: Timestamp) throws(Failure) -> Bool {
    try end(number, "key.withdrawn", at: moment, removedAt: moment)
  }

  private func end(
    _ number: Int64, _ event: String, at moment: Timestamp, removedAt: Timestamp
  ) throws(Failure) -> Bool {
    let key = try key(number), now = clock()
    return try store.retire(number, retiredAt: moment, removedAt: removedAt) { isChanged in
      guard isChanged, let key else { return [] }
      return [entry(event, key, at: moment, now)]
    }
  }

  private func key(_ number: Int64) throws(Failure) -> SealedKey? {
    for purpose in SealedKey.Purpose.allCases {
      if let key = try store.keys(purpose).first(where: { $0.number == number }) { return key }
    }
    return nil
  }

  private func entry(_ event: String, _ key: SealedKey, at: Timestamp, _ now: Timestamp) -> AuditEntry {
    var fields: [AuditRecord.Field] = [.init("purpose", key.purpose.rawValue), .init("number", "\(key.number)")]
    if !key.keyID.isEmpty { fields.append(.init("kid", key.keyID)) }
    fields.append(.init("at", at.rfc3339))
    if let by { fields.append(.init("by", by)) }
    return AuditEntry(event, fields, at: now)
  }
}
