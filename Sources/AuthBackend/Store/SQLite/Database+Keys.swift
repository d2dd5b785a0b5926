public import Basics

extension SQLiteStore {
  /// See ``AuthStore/keys(_:)``.
  public func keys(_ purpose: SealedKey.Purpose) throws(Failure) -> [SealedKey] {
    try readers.read { database throws(Failure) in
      try database.all(Database.findKeys, .text(purpose.rawValue)) { $0.key(purpose) }
    }
  }

  /// See ``AuthStore/add(_:ifNewestIs:audit:)``.
  public func add(
    _ key: SealedKey, ifNewestIs newest: Int64, audit: Auditing<SealedKey?>?
  ) throws(Failure) -> SealedKey? {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        let number = try database.first(
          Database.insertKey, .text(key.purpose.rawValue), .text(key.keyID), .text(key.algorithm), .text(key.publicJWK),
          .blob(key.sealed), .time(key.createdAt), .time(key.activeAt), .time(key.retiredAt), .time(key.removedAt),
          .integer(newest)
        ) { $0.integer() }
        return number.map {
          var key = key
          key.number = $0
          return key
        }
      }
    }
  }

  /// See ``AuthStore/retire(_:retiredAt:removedAt:audit:)``.
  public func retire(
    _ number: Int64, retiredAt: Timestamp, removedAt: Timestamp, audit: Auditing<Bool>?
  ) throws(Failure) -> Bool {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        guard try database.first(Database.findKey, .integer(number), read: { $0.integer() }) != nil else {
          throw Failure(.notFound, "there is no key with the number \(number)")
        }
        return try database.run(Database.retireKey, .time(retiredAt), .time(removedAt), .integer(number)) == 1
      }
    }
  }
}

extension Database {
  fileprivate static let findKeys = Query(
    """
    SELECT number, key_id, algorithm, public_jwk, sealed, created_at, active_at, retired_at, removed_at
    FROM server_key WHERE purpose = ? ORDER BY number
    """)
  fileprivate static let insertKey = Query(
    """
    INSERT INTO server_key (purpose, key_id, algorithm, public_jwk, sealed, created_at, active_at, retired_at, removed_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
    WHERE (SELECT coalesce(max(number), 0) FROM server_key WHERE purpose = ?1) = ?10
    RETURNING number
    """)
  fileprivate static let findKey = Query("SELECT number FROM server_key WHERE number = ?")
  fileprivate static let retireKey = Query(
    """
    UPDATE server_key SET retired_at = min(coalesce(retired_at, ?1), ?1), removed_at = min(coalesce(removed_at, ?2), ?2)
    WHERE number = ?3
      AND (retired_at IS NULL OR retired_at > ?1 OR removed_at IS NULL OR removed_at > ?2)
    """)
}

extension Row {
  fileprivate mutating func key(_ purpose: SealedKey.Purpose) -> SealedKey {
    var key = SealedKey(
      number: integer(), purpose: purpose, keyID: text(), algorithm: text(), publicJWK: text(), sealed: blob(),
      createdAt: time(), activeAt: time())
    key.retiredAt = optionalTime()
    key.removedAt = optionalTime()
    return key
  }
}
