internal import Basics

extension Database {
  private static let insertDigest = Query("INSERT OR IGNORE INTO seen_digest (digest, until) VALUES (?, ?)")

  /// Whether something that is good once is spent by this step.
  func spend(_ proof: SpentOnce) throws(Failure) -> Bool {
    try run(Database.insertDigest, .blob(proof.digest), .time(proof.until)) == 1
  }
}
