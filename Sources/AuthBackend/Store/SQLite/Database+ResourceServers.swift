public import Basics

extension SQLiteStore {
  /// See ``AuthStore/resourceServer(_:)``.
  public func resourceServer(_ name: String) throws(Failure) -> ResourceServer? {
    try readers.read { database throws(Failure) in
      try database.first(Database.findResourceServer, .text(name)) { $0.resourceServer() }
    }
  }

  /// See ``AuthStore/resourceServers()``.
  public func resourceServers() throws(Failure) -> [ResourceServer] {
    try readers.read { database throws(Failure) in
      try database.all(Database.findResourceServers) { $0.resourceServer() }
    }
  }

  /// See ``AuthStore/put(_:mayReplace:audit:)``.
  public func put(
    _ server: ResourceServer, mayReplace: Bool, audit: Auditing<ResourceServer?>?
  ) throws(Failure) -> ResourceServer? {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) -> ResourceServer? in
        let before = try database.first(Database.findResourceServer, .text(server.name)) { $0.resourceServer() }
        guard mayReplace || before == nil else { throw Failure(.exists, "there is a resource server of that name") }
        try database.run(
          Database.putResourceServer, .text(server.name), .text(server.audience), .integer(server.secret.pepper),
          .blob(server.secret.bytes), .time(server.createdAt))
        return before
      }
    }
  }

  /// See ``AuthStore/rehashSecret(of:known:as:)``.
  public func rehashSecret(of name: String, known: KeyedHash, as hash: KeyedHash) throws(Failure) -> Bool {
    try writer.perform { database throws(Failure) in
      try database.run(
        Database.rehashSecret, .integer(hash.pepper), .blob(hash.bytes), .text(name), .integer(known.pepper),
        .blob(known.bytes)) == 1
    }
  }

  /// See ``AuthStore/removeResourceServer(_:audit:)``.
  public func removeResourceServer(_ name: String, audit: Auditing<Bool>?) throws(Failure) -> Bool {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        try database.run(Database.deleteResourceServer, .text(name)) == 1
      }
    }
  }
}

extension Database {
  private static let resourceServerColumns = "name, audience, pepper, hash, created_at"
  fileprivate static let findResourceServer = Query(
    "SELECT \(resourceServerColumns) FROM resource_server WHERE name = ?")
  fileprivate static let findResourceServers = Query(
    "SELECT \(resourceServerColumns) FROM resource_server ORDER BY name")
  fileprivate static let putResourceServer = Query(
    "INSERT OR REPLACE INTO resource_server (\(resourceServerColumns)) VALUES (?, ?, ?, ?, ?)")
  fileprivate static let rehashSecret = Query(
    "UPDATE resource_server SET pepper = ?, hash = ? WHERE name = ? AND pepper = ? AND hash = ?")
  fileprivate static let deleteResourceServer = Query("DELETE FROM resource_server WHERE name = ?")
}

extension Row {
  fileprivate mutating func resourceServer() -> ResourceServer {
    let name = text(), audience = text(), secret = hash()
    return ResourceServer(name: name, audience: audience, secret: secret, createdAt: time())
  }
}
