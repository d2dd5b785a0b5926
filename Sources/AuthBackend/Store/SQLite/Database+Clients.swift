public import Basics
internal import Synchronization

extension SQLiteStore {
  /// See ``AuthStore/client(_:)``.
  public func client(_ id: String) throws(Failure) -> Client? {
    try readers.read { database throws(Failure) in
      try database.first(Database.findClient, .text(id)) { $0.client() }
    }
  }

  /// See ``AuthStore/clients()``.
  public func clients() throws(Failure) -> [Client] {
    try readers.read { database throws(Failure) in try database.all(Database.findClients) { $0.client() } }
  }

  /// See ``AuthStore/clientsVersion``.
  public var clientsVersion: UInt64 { clientChanges.load(ordering: .acquiring) }

  /// See ``AuthStore/put(_:mayReplace:audit:)``.
  public func put(_ client: Client, mayReplace: Bool, audit: Auditing<Client?>?) throws(Failure) -> Client? {
    defer { clientChanges.add(1, ordering: .releasing) }
    let properties = client.properties.sorted { $0.key < $1.key }
      .map { JSONValue.Member($0.key, .string($0.value)) }
    return try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) -> Client? in
        let before = try database.first(Database.findClient, .text(client.id)) { $0.client() }
        guard mayReplace || before == nil else { throw Failure(.exists, "there is a client of that id") }
        try database.run(
          Database.putClient, .text(client.id), .text(client.name), .json(client.redirectURIs),
          .json(client.postLogoutRedirectURIs), .json(client.scopes), .json(client.grants.sorted()),
          .bool(client.isFirstParty), .text(client.audience), .text(client.devicePolicy.rawValue),
          .text(client.attestation.rawValue), .integer(client.graceSeconds), .text(JSONValue.object(properties).text),
          .bool(client.isEnabled))
        return before
      }
    }
  }

  /// See ``AuthStore/removeClient(_:now:denyUntil:audit:)``.
  public func removeClient(
    _ id: String, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]?>?
  ) throws(Failure) -> [Family]? {
    defer { clientChanges.add(1, ordering: .releasing) }
    return try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) -> [Family]? in
        guard try database.run(Database.deleteClient, .text(id)) == 1 else { return nil }
        try database.run(Database.deleteConsents, .text(id))
        try database.run(Database.deleteCodes, .text(id))
        try database.run(Database.deleteDeviceCodes, .text(id))
        return try database.end(.client(id), limit: -1, .administrator, now: now, denyUntil: denyUntil)
      }
    }
  }

  /// See ``AuthStore/consent(user:client:)``.
  public func consent(user: String, client: String) throws(Failure) -> [String] {
    try readers.read { database throws(Failure) in
      try database.all(Database.findConsent, .text(user), .text(client)) { $0.text() }
    }
  }

  /// See ``AuthStore/addConsent(user:client:scopes:)``.
  public func addConsent(user: String, client: String, scopes: [String]) throws(Failure) {
    try writer.perform { database throws(Failure) in
      try database.addConsent(user: user, client: client, scopes: scopes)
    }
  }
}

extension Database {
  func addConsent(user: String, client: String, scopes: [String]) throws(Failure) {
    for scope in scopes { try run(Database.insertConsent, .text(user), .text(client), .text(scope)) }
  }

  private static let clientColumns = """
    id, name, redirect_uris, post_logout_redirect_uris, scopes, grants, is_first_party, audience, device_policy,
    attestation, grace_seconds, properties, is_enabled
    """
  fileprivate static let findClient = Query("SELECT \(clientColumns) FROM client WHERE id = ?")
  fileprivate static let findClients = Query("SELECT \(clientColumns) FROM client ORDER BY id")
  fileprivate static let putClient = Query(
    "INSERT OR REPLACE INTO client (\(clientColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  fileprivate static let deleteClient = Query("DELETE FROM client WHERE id = ?")
  fileprivate static let deleteConsents = Query("DELETE FROM consent WHERE client = ?")
  fileprivate static let deleteCodes = Query("DELETE FROM code WHERE client = ?")
  fileprivate static let deleteDeviceCodes = Query("DELETE FROM device_code WHERE client = ?")
  fileprivate static let findConsent = Query(
    "SELECT scope FROM consent WHERE user = ? AND client = ? ORDER BY scope")
  fileprivate static let insertConsent = Query(
    "INSERT OR IGNORE INTO consent (user, client, scope) VALUES (?, ?, ?)")
}

extension Row {
  fileprivate mutating func client() -> Client {
    var client = Client(id: text(), name: text(), redirectURIs: strings())
    client.postLogoutRedirectURIs = strings()
    client.scopes = strings()
    client.grants = Set(strings())
    client.isFirstParty = bool()
    client.audience = text()
    client.devicePolicy = choice(Client.DevicePolicy.required)
    client.attestation = choice(Client.AttestationPolicy.require)
    client.graceSeconds = integer()
    client.properties = texts()
    client.isEnabled = bool()
    return client
  }
}
