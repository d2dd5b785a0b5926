public import Basics

extension SQLiteStore {
  /// See ``AuthStore/deny(_:until:)``.
  public func deny(_ id: String, until: Timestamp) throws(Failure) {
    try writer.perform { database throws(Failure) in try database.deny(id, until: until) }
  }

  /// See ``AuthStore/isDenied(_:now:)``.
  public func isDenied(_ ids: [String], now: Timestamp) throws(Failure) -> Bool {
    try readers.read { database throws(Failure) in
      for id in ids where try database.first(Database.findDenial, .text(id), .time(now), read: { $0.text() }) != nil {
        return true
      }
      return false
    }
  }

  /// See ``AuthStore/denied(now:after:limit:)``.
  public func denied(now: Timestamp, after id: String, limit: Int) throws(Failure) -> [Denial] {
    try readers.read { database throws(Failure) in
      try database.all(Database.findDenials, .text(id), .time(now), .integer(Int64(clamping: max(0, limit)))) {
        Denial(id: $0.text(), until: $0.time())
      }
    }
  }
}

extension Database {
  private static let insertDenial = Query(
    "INSERT INTO denial (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = max(until, excluded.until)")
  fileprivate static let findDenial = Query("SELECT id FROM denial WHERE id = ? AND until > ?")
  fileprivate static let findDenials = Query(
    "SELECT id, until FROM denial WHERE id > ? AND until > ? ORDER BY id LIMIT ?")

  /// A denial is never shortened.
  func deny(_ id: String, until: Timestamp) throws(Failure) {
    try run(Database.insertDenial, .text(id), .time(until))
  }
}
