public import Basics

extension SQLiteStore {
  /// See ``AuthStore/linkIdentity(_:audit:)``.
  public func linkIdentity(_ link: IdentityLink, audit: Auditing<Bool>?) throws(Failure) -> Bool {
    try writer.perform { database throws(Failure) in
      _ = try database.audited(audit) { () throws(Failure) in
        try database.run(
          Database.insertLink, .text(link.issuer), .text(link.subject), .text(link.user), .time(link.linkedAt)) == 1
      }
      let found = try database.first(Database.findLink, .text(link.issuer), .text(link.subject)) { $0.link() }
      return isSame(found?.user, link.user)
    }
  }

  /// See ``AuthStore/identityLink(issuer:subject:)``.
  public func identityLink(issuer: String, subject: String) throws(Failure) -> IdentityLink? {
    try readers.read { database throws(Failure) in
      try database.first(Database.findLink, .text(issuer), .text(subject)) { $0.link() }
    }
  }

  /// See ``AuthStore/identityLinks(user:)``.
  public func identityLinks(user: String) throws(Failure) -> [IdentityLink] {
    try readers.read { database throws(Failure) in
      try database.all(Database.findLinksOfUser, .text(user)) { $0.link() }
    }
  }

  /// See ``AuthStore/unlinkIdentity(issuer:user:now:denyUntil:audit:)``.
  public func unlinkIdentity(
    issuer: String, user: String, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]?>?
  ) throws(Failure) -> [Family]? {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) -> [Family]? in
        guard try database.run(Database.deleteLink, .text(issuer), .text(user)) == 1 else { return nil }
        return try database.end(.user(user), .unlinked, now: now, denyUntil: denyUntil)
      }
    }
  }
}

extension Database {
  private static let linkColumns = "issuer, subject, user, linked_at"
  // Either of the two uniquenesses may keep it from being there.
  fileprivate static let insertLink = Query(
    """
    INSERT OR IGNORE INTO identity_link (\(linkColumns)) SELECT ?1, ?2, ?3, ?4
    WHERE EXISTS (SELECT 1 FROM user WHERE id = ?3)
    """)
  fileprivate static let findLink = Query("SELECT \(linkColumns) FROM identity_link WHERE issuer = ? AND subject = ?")
  fileprivate static let findLinksOfUser = Query(
    "SELECT \(linkColumns) FROM identity_link WHERE user = ? ORDER BY issuer")
  fileprivate static let deleteLink = Query("DELETE FROM identity_link WHERE issuer = ? AND user = ?")

  /// Whether a subject is linked to a user.
  func isLinked(_ identity: SpentOnce.Identity, to user: String) throws(Failure) -> Bool {
    let found = try first(Database.findLink, .text(identity.issuer), .text(identity.subject)) { $0.link() }
    return isSame(found?.user, user)
  }
}

extension Row {
  fileprivate mutating func link() -> IdentityLink {
    IdentityLink(issuer: text(), subject: text(), user: text(), linkedAt: time())
  }
}
