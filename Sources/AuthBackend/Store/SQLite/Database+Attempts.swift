public import Basics

extension SQLiteStore {
  /// See ``AuthStore/attempt(_:now:)``.
  public func attempt(_ rules: [AttemptRule], now: Timestamp) throws(Failure) -> AttemptOutcome {
    try writer.perform { database throws(Failure) in
      var counts: [Int64] = []
      var wait: Timestamp?
      for rule in rules {
        let found = try database.first(Database.findAttempt, .text(rule.key), .time(now)) {
          (count: $0.integer(), nextAt: $0.time())
        }
        counts.append(found?.count ?? 0)
        if let nextAt = found?.nextAt, now < nextAt {
          // No rule makes anybody wait longer: the clock was ahead when it was written.
          let last = min(nextAt, now.advanced(by: max(0, rule.maximumDelaySeconds)))
          if last < nextAt { try database.run(Database.hastenAttempt, .text(rule.key), .time(last)) }
          if now < last { wait = max(wait ?? last, last) }
        }
      }
      if let wait { return .wait(until: wait) }
      for (rule, before) in zip(rules, counts) {
        let count = before + 1
        let nextAt = now.advanced(by: rule.delay(after: count))
        // What is not over yet is not forgotten.
        let forgetAt = max(now.advanced(by: max(0, rule.forgetSeconds)), nextAt)
        try database.run(Database.putAttempt, .text(rule.key), .integer(count), .time(nextAt), .time(forgetAt))
      }
      return .allowed(count: (counts.max() ?? 0) + 1)
    }
  }

  /// See ``AuthStore/forgetAttempts(_:)``.
  public func forgetAttempts(_ keys: [String]) throws(Failure) {
    try writer.perform { database throws(Failure) in
      for key in keys { try database.run(Database.deleteAttempt, .text(key)) }
    }
  }

  /// See ``AuthStore/takeBackAttempt(_:)``.
  public func takeBackAttempt(_ keys: [String]) throws(Failure) {
    try writer.perform { database throws(Failure) in
      for key in keys { try database.run(Database.takeBackAttempt, .text(key)) }
    }
  }
}

extension Database {
  fileprivate static let findAttempt = Query("SELECT count, next_at FROM attempt WHERE key = ? AND forget_at > ?")
  fileprivate static let putAttempt = Query(
    "INSERT OR REPLACE INTO attempt (key, count, next_at, forget_at) VALUES (?, ?, ?, ?)")
  // It was allowed, so the delay of before it is over.
  fileprivate static let takeBackAttempt = Query(
    "UPDATE attempt SET count = count - 1, next_at = 0 WHERE key = ? AND count > 0")
  fileprivate static let hastenAttempt = Query("UPDATE attempt SET next_at = ?2 WHERE key = ?1")
  fileprivate static let deleteAttempt = Query("DELETE FROM attempt WHERE key = ?")
}
