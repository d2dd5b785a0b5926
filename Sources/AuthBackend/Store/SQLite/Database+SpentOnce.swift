internal import Basics

extension Database {
  private static let findDigest = Query("SELECT 1 FROM seen_digest WHERE digest = ?")
  private static let insertDigest = Query("INSERT INTO seen_digest (digest, until) VALUES (?, ?)")

  /// Whether something that is good once was spent before.
  func isSpent(_ proof: SpentOnce) throws(Failure) -> Bool {
    try first(Database.findDigest, .blob(proof.digest)) { $0.integer() } != nil
  }

  /// Spends something that is good once and was not spent before.
  func spend(_ proof: SpentOnce) throws(Failure) {
    guard try run(Database.insertDigest, .blob(proof.digest), .time(proof.until)) == 1 else {
      throw Failure(.bug, "what is good once was spent while it was being looked at")
    }
  }
}
