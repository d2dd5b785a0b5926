public import Basics

extension SQLiteStore {
  /// See ``AuthStore/add(_:)``.
  public func add(_ code: AuthorizationCode) throws(Failure) {
    try writer.perform { database throws(Failure) in try database.insert(code) }
  }

  /// See ``AuthStore/addConsented(_:now:)``.
  public func addConsented(_ code: AuthorizationCode, now: Timestamp) throws(Failure) -> Bool {
    try writer.perform { database throws(Failure) in
      if let session = code.browserSession, try !database.isAlive(session: session, now: now) { return false }
      try database.insert(code)
      try database.addConsent(user: code.user, client: code.client, scopes: code.scopes)
      return true
    }
  }

  /// See ``AuthStore/redeem(_:)``.
  public func redeem(_ redemption: Redemption) throws(Failure) -> RedemptionOutcome {
    try writer.perform { database throws(Failure) in
      try database.audited(redemption.audit) { () throws(Failure) in try database.redeem(redemption) }
    }
  }
}

/// A code as it stands in the database.
private struct CodeRow {
  let number: Int64
  let isSpent: Bool
  /// The family that it began.
  let family: String?
  let code: AuthorizationCode
}

extension Database {
  private static let insertCode = Query(
    """
    INSERT INTO code (hash, pepper, client, redirect_uri, challenge, user, device, scopes, nonce, auth_time,
      browser_session, expires_at, is_redirect_uri_given)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
    """)
  private static let findCode = Query(
    """
    SELECT rowid, is_spent, family, client, redirect_uri, challenge, user, device, scopes, nonce, auth_time,
      browser_session, expires_at
    FROM code WHERE hash = ? AND pepper = ?
    """)
  private static let spendCode = Query("UPDATE code SET is_spent = 1 WHERE rowid = ? AND is_spent = 0")
  private static let noteFamily = Query("UPDATE code SET family = ? WHERE rowid = ?")
  private static let sessionIsAlive = Query("SELECT 1 FROM browser_session WHERE id = ? AND expires_at > ?")

  fileprivate func insert(_ code: AuthorizationCode) throws(Failure) {
    try run(
      Database.insertCode, .blob(code.hash.bytes), .integer(code.hash.pepper), .text(code.client),
      .text(code.redirectURI), .text(code.challenge), .text(code.user),
      .optional(code.device), .scopes(code.scopes), .optional(code.nonce), .time(code.authTime),
      .optional(code.browserSession), .time(code.expiresAt))
  }

  /// The order of the checks is that of ``AuthStore/redeem(_:)``.
  fileprivate func redeem(_ redemption: Redemption) throws(Failure) -> RedemptionOutcome {
    guard let row = try codeRow(redemption.presented) else { return .refused(.unknown, user: nil, ended: nil) }
    if row.isSpent {
      guard let id = row.family else { return .refused(.replay, user: row.code.user, ended: nil) }
      let ended = try end(.id(id), .codeReplay, now: redemption.now, denyUntil: redemption.denyUntil)
      return .refused(.replay, user: row.code.user, ended: ended.first)
    }
    func spend() throws(Failure) {
      guard try run(Database.spendCode, .integer(row.number)) == 1 else {
        throw Failure(.bug, "a code changed while it was being redeemed")
      }
    }
    let code = row.code
    if let refusal = try refusal(code, redemption) {
      try spend()
      return .refused(refusal, user: code.user, ended: nil)
    }
    let family = Family(
      id: redemption.id, handle: redemption.handle, user: code.user, client: code.client, device: code.device,
      scopes: code.scopes, authTime: code.authTime, createdAt: redemption.now,
      expiresAt: redemption.now.advanced(by: redemption.lifetimeSeconds), idleSeconds: redemption.idleSeconds,
      current: redemption.first)
    switch try insert(family, on: redemption.description, redemption.admission, spend: spend) {
    case .held(let seconds): return .held(seconds: seconds)
    case .unattested(let misfit): return .unattested(misfit, code)
    case .begun(let misfit):
      try run(Database.noteFamily, .text(family.id), .integer(row.number))
      return .redeemed(family, code, misfit: misfit)
    }
  }

  private func refusal(
    _ code: AuthorizationCode, _ redemption: Redemption
  ) throws(Failure) -> RedemptionOutcome.Refusal? {
    guard isSame(code.client, redemption.client), isSame(code.redirectURI, redemption.redirectURI),
      isSame(code.challenge, redemption.challenge)
    else { return .mismatch }
    guard redemption.now < code.expiresAt else { return .expired }
    guard redemption.device == nil || isSame(code.device, redemption.device) else { return .device }
    guard try isUserGood(code.user) else { return .user }
    if let session = code.browserSession, try !isAlive(session: session, now: redemption.now) { return .user }
    return nil
  }

  func isAlive(session: String, now: Timestamp) throws(Failure) -> Bool {
    try first(Database.sessionIsAlive, .text(session), .time(now)) { $0.integer() } != nil
  }

  private func codeRow(_ presented: [KeyedHash]) throws(Failure) -> CodeRow? {
    for hash in presented {
      let found = try first(Database.findCode, .blob(hash.bytes), .integer(hash.pepper)) { row in
        let number = row.integer(), isSpent = row.bool(), family = row.optionalText()
        let client = row.text(), redirectURI = row.text(), challenge = row.text()
        let code = AuthorizationCode(
          hash: hash, client: client, redirectURI: redirectURI, challenge: challenge, user: row.text(),
          device: row.optionalText(), scopes: row.scopes(), nonce: row.optionalText(), authTime: row.time(),
          browserSession: row.optionalText(), expiresAt: row.time())
        return CodeRow(number: number, isSpent: isSpent, family: family, code: code)
      }
      if let found { return found }
    }
    return nil
  }
}
