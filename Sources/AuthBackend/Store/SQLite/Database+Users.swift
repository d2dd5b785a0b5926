public import Basics

extension SQLiteStore {
  /// See ``AuthStore/user(id:)``.
  public func user(id: String) throws(Failure) -> User? {
    try readers.read { database throws(Failure) in
      try database.first(Database.findUserByID, .text(id)) { $0.user() }
    }
  }

  /// See ``AuthStore/user(named:)``.
  public func user(named name: String) throws(Failure) -> User? {
    try readers.read { database throws(Failure) in
      try database.first(Database.findUserByName, .text(name)) { $0.user() }
    }
  }

  /// See ``AuthStore/users()``.
  public func users() throws(Failure) -> [User] {
    try readers.read { database throws(Failure) in try database.all(Database.findUsers) { $0.user() } }
  }

  /// See ``AuthStore/add(_:audit:)``.
  public func add(_ user: User, audit: Auditing<Void>?) throws(Failure) {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        _ = try database.run(
          Database.insertUser, .text(user.id), .text(user.name), .optional(user.passwordHash), .claims(user),
          .bool(user.isDisabled), .time(user.passwordChangedAt), .time(user.createdAt))
      }
    }
  }

  /// See ``AuthStore/change(_:ending:now:denyUntil:audit:)``.
  public func change(
    _ user: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family] {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        try database.change(user, ending: ending, now: now, denyUntil: denyUntil)
      }
    }
  }

  /// See ``AuthStore/change(_:ifWas:ending:now:denyUntil:audit:)``.
  public func change(
    _ user: User, ifWas known: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?,
    audit: Auditing<[Family]?>?
  ) throws(Failure) -> [Family]? {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) -> [Family]? in
        let found = try database.first(Database.findUserByID, .text(user.id)) { $0.user() }
        guard found == known else { return nil }
        return try database.change(user, ending: ending, now: now, denyUntil: denyUntil)
      }
    }
  }
}

extension Database {
  fileprivate func change(
    _ user: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    let changed = try run(
      Database.updateUser, .text(user.name), .optional(user.passwordHash), .claims(user), .bool(user.isDisabled),
      .time(user.passwordChangedAt), .time(user.createdAt), .text(user.id))
    guard changed == 1 else { throw Failure(.notFound, "there is no such user") }
    guard let ending else { return [] }
    try endBrowserSessions(user: user.id)
    return try end(.user(user.id), ending, now: now, denyUntil: denyUntil)
  }

  private static let userColumns =
    "id, name, password_hash, claims, is_disabled, password_changed_at, created_at"
  /// The same of a table that a statement calls by another name.
  static func userColumns(of table: String) -> String {
    userColumns.split(separator: " ").map { "\(table).\($0)" }.joined(separator: " ")
  }
  fileprivate static let findUserByID = Query("SELECT \(userColumns) FROM user WHERE id = ?")
  fileprivate static let findUserByName = Query("SELECT \(userColumns) FROM user WHERE name = ?")
  fileprivate static let findUsers = Query("SELECT \(userColumns) FROM user ORDER BY name")
  fileprivate static let insertUser = Query("INSERT INTO user (\(userColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
  fileprivate static let updateUser = Query(
    """
    UPDATE user SET name = ?, password_hash = ?, claims = ?, is_disabled = ?, password_changed_at = ?, created_at = ?
    WHERE id = ?
    """)
}

extension SQLValue {
  fileprivate static func claims(_ user: User) -> SQLValue {
    let members = user.claims.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    return .text(JSONValue.object(members).text)
  }
}

extension Row {
  mutating func user() -> User {
    let id = text(), name = text(), passwordHash = optionalText(), claims = members(), isDisabled = bool()
    let passwordChangedAt = optionalTime()
    var user = User(id: id, name: name, passwordHash: passwordHash, createdAt: time())
    for member in claims { user.claims[member.name] = member.value }
    user.isDisabled = isDisabled
    user.passwordChangedAt = passwordChangedAt
    return user
  }
}
