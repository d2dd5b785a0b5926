public import Basics

extension SQLiteStore {
  /// See ``AuthStore/prune(now:keepSeconds:isCancelled:)``.
  public func prune(now: Timestamp, keepSeconds: Int64, isCancelled: () -> Bool) throws(Failure) {
    let kept = now.advanced(by: -max(0, keepSeconds))
    for query in Pruning.timed { try inPieces(query, .time(now), isCancelled) }
    for query in Pruning.kept { try inPieces(query, .time(kept), isCancelled) }
    try inPieces(
      Pruning.deviceCodes, .time(max(kept, now.advanced(by: -Pruning.deviceCodeSeconds))), isCancelled)
    try pruneFamilies(now: now, kept: kept, isCancelled)
  }

  /// Small steps, so that sign-ins wait for none of them long.
  private func inPieces(_ query: Query, _ time: SQLValue, _ isCancelled: () -> Bool) throws(Failure) {
    var count = 1
    while count > 0, !isCancelled() {
      count = try writer.perform { database throws(Failure) in
        try database.run(query, time, .integer(Pruning.piece))
      }
    }
  }

  /// How long a family stays unused changes with each rotation, so no index knows of it: the table is read from end to end, beside
  /// the writer, and what was found is looked at again in the step that removes it.
  private func pruneFamilies(now: Timestamp, kept: Timestamp, _ isCancelled: () -> Bool) throws(Failure) {
    var after: Int64 = 0
    while !isCancelled() {
      let seen = try readers.read { database throws(Failure) in
        try database.all(Pruning.scan, .integer(after), .integer(Pruning.scanned), .time(kept), .time(now)) {
          (number: $0.integer(), isOver: $0.bool(), isSealed: $0.bool())
        }
      }
      guard let last = seen.last else { return }
      after = last.number
      let found = seen.filter { $0.isOver || $0.isSealed }.map(\.number)
      for first in stride(from: 0, to: found.count, by: Pruning.together) where !isCancelled() {
        let numbers = found[first..<min(first + Pruning.together, found.count)]
        try writer.perform { database throws(Failure) in
          for number in numbers {
            try database.run(Pruning.unseal, .integer(number), .time(now))
            guard try database.run(Pruning.deleteFamily, .integer(number), .time(kept)) == 1 else { continue }
            try database.run(Pruning.deleteSpent, .integer(number))
          }
        }
      }
    }
  }
}

/// The statements that remove what is over.
private enum Pruning {
  /// How many rows one step removes.
  static let piece: Int64 = 500
  /// How many families one step removes; each may have thousands of spent tokens.
  static let together = 20
  /// How many families are read at once.
  static let scanned: Int64 = 2_000
  /// No grace is longer: what was sealed for it is of no use after that many seconds.
  static let longestGrace = 60

  /// What goes when its time is over.
  static let timed = [
    delete("browser_session", "expires_at"), delete("denial", "until"), delete("challenge", "expires_at"),
    delete("seen_digest", "until"), delete("attempt", "forget_at"), delete("server_key", "removed_at"),
  ]
  /// What stays for a while after.
  static let kept = [delete("code", "expires_at")]
  /// What anybody may ask for, so that it must not pile up: it stays no longer than a device would ask for it after its time.
  static let deviceCodes = delete("device_code", "expires_at")
  static let deviceCodeSeconds: Int64 = 3_600

  private static func delete(_ table: String, _ column: String) -> Query {
    let key =
      switch table {
      case "denial": "id"
      case "seen_digest": "digest"
      case "attempt": "key"
      default: "rowid"
      }
    return Query("DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(column) <= ?1 LIMIT ?2)")
  }

  private static func isOver(_ time: String) -> String {
    "coalesce(ended_at, min(expires_at, used_at + idle_seconds)) <= \(time)"
  }

  static let scan = Query(
    """
    SELECT number, \(isOver("?3")), sealed IS NOT NULL AND used_at + \(longestGrace) <= ?4
    FROM family WHERE number > ?1 ORDER BY number LIMIT ?2
    """)
  static let unseal = Query(
    "UPDATE family SET sealed = NULL WHERE number = ?1 AND sealed IS NOT NULL AND used_at + \(longestGrace) <= ?2")
  static let deleteFamily = Query("DELETE FROM family WHERE number = ?1 AND \(isOver("?2"))")
  static let deleteSpent = Query("DELETE FROM spent WHERE family = ?1")
}
