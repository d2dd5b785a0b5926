public import Basics

extension SQLiteStore {
  /// See ``AuthStore/add(_:ifPasswordIs:)``.
  public func add(_ session: BrowserSession, ifPasswordIs hash: String?) throws(Failure) -> Bool {
    try writer.perform { database throws(Failure) in
      try database.run(
        Database.insertSession, .blob(session.hash.bytes), .integer(session.hash.pepper), .text(session.id),
        .text(session.user), .time(session.authTime), .time(session.expiresAt), .optional(hash)) == 1
    }
  }

  /// See ``AuthStore/browserSession(presented:now:)``.
  public func browserSession(presented: [KeyedHash], now: Timestamp) throws(Failure) -> BrowserSession? {
    try readers.read { database throws(Failure) in
      for hash in presented {
        let found = try database.first(
          Database.findSession, .blob(hash.bytes), .integer(hash.pepper), .time(now)
        ) { row in
          BrowserSession(
            hash: hash, id: row.text(), user: row.text(), authTime: row.time(), expiresAt: row.time())
        }
        if let found { return found }
      }
      return nil
    }
  }

  /// See ``AuthStore/endBrowserSessions(id:user:)``.
  public func endBrowserSessions(id: String?, user: String?) throws(Failure) {
    try writer.perform { database throws(Failure) in
      if let id { try database.run(Database.deleteSession, .text(id)) }
      if let user { try database.endBrowserSessions(user: user) }
    }
  }

  /// See ``AuthStore/endSomeBrowserSessions(limit:)``.
  public func endSomeBrowserSessions(limit: Int) throws(Failure) -> Int {
    try writer.perform { database throws(Failure) in
      try database.run(Database.deleteSomeSessions, .integer(Int64(clamping: max(0, limit))))
    }
  }
}

extension Database {
  fileprivate static let insertSession = Query(
    """
    INSERT INTO browser_session (hash, pepper, id, user, auth_time, expires_at)
    SELECT ?1, ?2, ?3, id, ?5, ?6 FROM user WHERE id = ?4 AND password_hash IS ?7 AND is_disabled = 0
    """)
  fileprivate static let findSession = Query(
    """
    SELECT s.id, s.user, s.auth_time, s.expires_at FROM browser_session s JOIN user u ON u.id = s.user
    WHERE s.hash = ? AND s.pepper = ? AND s.expires_at > ? AND u.is_disabled = 0
    """)
  fileprivate static let deleteSession = Query("DELETE FROM browser_session WHERE id = ?")
  fileprivate static let deleteSomeSessions = Query(
    "DELETE FROM browser_session WHERE rowid IN (SELECT rowid FROM browser_session LIMIT ?)")
  private static let deleteSessions = Query("DELETE FROM browser_session WHERE user = ?")

  func endBrowserSessions(user: String) throws(Failure) { try run(Database.deleteSessions, .text(user)) }
}
