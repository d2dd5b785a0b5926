internal import Basics

extension Database {
  private static let findDigest = Query("SELECT 1 FROM seen_digest WHERE digest = ?")
  private static let insertDigest = Query("INSERT OR IGNORE INTO seen_digest (digest, until) VALUES (?, ?)")

  /// Whether something that is good once was spent before.
  func isSpent(_ proof: SpentOnce) throws(Failure) -> Bool {
    try first(Database.findDigest, .blob(proof.digest)) { $0.integer() } != nil
  }

  /// Whether something that is good once is spent by this step.
  func spend(_ proof: SpentOnce) throws(Failure) -> Bool {
    try run(Database.insertDigest, .blob(proof.digest), .time(proof.until)) == 1
  }
}
