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

  /// See ``AuthStore/denialsMark(now:)``. How many there are and the sum of their times: what goes is over, so whatever came in its place
  /// ends later, and no time becomes an earlier one. Either number changes with any change.
  public func denialsMark(now: Timestamp) throws(Failure) -> String {
    try readers.read { database throws(Failure) in
      try database.first(Database.sumDenials, .time(now)) { "\($0.integer()) \($0.integer())" } ?? ""
    }
  }
}

extension Database {
  private static let insertDenial = Query(
    "INSERT INTO denial (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = max(until, excluded.until)")
  fileprivate static let findDenial = Query("SELECT id FROM denial WHERE id = ? AND until > ?")
  fileprivate static let findDenials = Query(
    "SELECT id, until FROM denial WHERE id > ? AND until > ? ORDER BY id LIMIT ?")

  fileprivate static let sumDenials = Query("SELECT count(*), ifnull(sum(until), 0) FROM denial WHERE until > ?")

  /// A denial is never shortened.
  func deny(_ id: String, until: Timestamp) throws(Failure) {
    try run(Database.insertDenial, .text(id), .time(until))
  }
}
