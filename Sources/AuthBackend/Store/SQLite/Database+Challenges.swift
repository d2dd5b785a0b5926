public import Basics

extension SQLiteStore {
  /// See ``AuthStore/add(_:)``.
  public func add(_ challenge: AttestationChallenge) throws(Failure) {
    try writer.perform { database throws(Failure) in
      try database.run(
        Database.insertChallenge, .blob(challenge.value), .text(challenge.client), .time(challenge.createdAt),
        .time(challenge.expiresAt))
    }
  }

  /// See ``AuthStore/spendChallenge(_:client:now:)``.
  public func spendChallenge(
    _ value: [UInt8], client: String, now: Timestamp
  ) throws(Failure) -> ChallengeOutcome {
    try writer.perform { database throws(Failure) in
      let found = try database.first(Database.findChallenge, .blob(value)) { row in
        (
          isSpent: row.bool(),
          challenge: AttestationChallenge(
            value: value, client: row.text(), createdAt: row.time(), expiresAt: row.time())
        )
      }
      guard let found else { return .unknown }
      if found.isSpent { return .spent }
      try database.run(Database.markChallenge, .blob(value))
      guard isSame(found.challenge.client, client) else { return .client }
      return now < found.challenge.expiresAt ? .good(found.challenge) : .expired
    }
  }
}

extension Database {
  fileprivate static let insertChallenge = Query(
    "INSERT INTO challenge (value, client, created_at, expires_at) VALUES (?, ?, ?, ?)")
  fileprivate static let findChallenge = Query(
    "SELECT is_spent, client, created_at, expires_at FROM challenge WHERE value = ?")
  fileprivate static let markChallenge = Query("UPDATE challenge SET is_spent = 1 WHERE value = ?")
}
