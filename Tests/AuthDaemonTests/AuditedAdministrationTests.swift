import AuthBackend
import BackendAdmin
import BackendKeys
import BackendStore
import BackendStoreConformance
import Basics
import CSQLite
import SecureMemory
import TestSupport
import Testing
import Vault

/// What an administrator does, and what is done to keys, is a record of the audit log by the step that does it.
@Suite struct AuditedAdministrationTests {
  private let sandbox: Sandbox
  private let store: SQLiteStore
  private let administration: Administration
  private let user: User

  init() throws {
    sandbox = try Sandbox()
    store = try SQLiteStore(path: sandbox("auth.db"))
    administration = Administration(store: store, settings: try BackendSettings(issuer: "http://127.0.0.1:8480"))
    user = try administration.addUser(named: "alice@example.com", password: nil)
    let now = Timestamp.now()
    _ = try store.begin(
      Family(
        id: "sid", handle: [UInt8](repeating: 1, count: 16), user: user.id, client: "mobile", device: "d", scopes: [],
        authTime: now, createdAt: now, expiresAt: now.advanced(by: 1_000), idleSeconds: 1_000,
        current: KeyedHash(pepper: 1, bytes: [1])))
    try store.put(Client(id: "mobile", name: "", redirectURIs: []))
  }

  private func run(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    try #require(sqlite3_open(sandbox("auth.db"), &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  /// Runs a deed while no record can be written, which must leave everything as it was, and then for real; the events that it wrote.
  private func deed<T: Equatable>(_ state: () throws -> T, _ body: () throws -> Void) throws -> [String] {
    let before = try state(), count = try store.verifyAudit().good
    try run("CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'broken'); END")
    #expect(throws: Failure.self) { try body() }
    #expect(try state() == before)
    try run("DROP TRIGGER broken")
    try body()
    #expect(try state() != before)
    let records = try store.auditRecords(after: count, limit: 100)
    #expect(records.allSatisfy { $0.fields.last == .init("by", "administrator") })
    return records.map(\.event)
  }

  private func family() throws -> Family? { try store.family(id: "sid") }

  @Test func whatEndsSignIns() throws {
    #expect(try deed(family) { _ = try administration.end(.id("sid")) } == ["family.ended"])
  }

  @Test func whatEndsThemAll() throws {
    #expect(try deed(family) { _ = try administration.end(.all) } == ["family.ended"])
  }

  @Test func aUser() throws {
    func state() throws -> [String?] { ["\(try #require(try store.user(id: user.id)))", try family()?.end?.rawValue] }
    #expect(try deed(state) { _ = try administration.setDisabled(true, user) } == ["user.disabled", "family.ended"])
    #expect(try deed(state) { _ = try administration.setDisabled(false, user) } == ["user.enabled"])
    let password = SecureBox(try SecureBytes(publicText: "a new and longer password"))
    #expect(try deed(state) { _ = try administration.setPassword(password, of: user) } == ["user.password"])
  }

  @Test func claimsAreThoseOfTheUserAndNotOfOneWhoseNameIsTheId() throws {
    let other = try administration.addUser(named: user.id, password: nil)
    #expect(other.id != user.id)
    let changed = try administration.setClaims(["name": "Alice"], removing: [], of: user)
    #expect(changed.id == user.id && changed.claims == ["name": "Alice"])
  }

  /// Whoever mixes the two up is told, without it, and nothing is written down.
  @Test func aSecretIsNoName() throws {
    let secret = "mfs_\(String(repeating: "aB3-_", count: 9).prefix(43))", jwt = "eyJ\(secret.dropFirst(4))"
    let before = try store.verifyAudit().good
    let sealer = Sealer(.keyFile(SecureBox(try SecureBytes.random(count: 32))))
    let keys = try Peppers(store: store, sealer: sealer)
    for wrong in [secret, jwt, "x.\(secret)"] {
      for body: () throws -> Void in [
        { _ = try administration.addUser(named: wrong, password: nil) },
        { _ = try administration.put(Client(id: wrong, name: "x", redirectURIs: ["https://x/"])) },
        {
          var client = Client(id: "x", name: "x", redirectURIs: ["https://x/"])
          client.audience = wrong
          _ = try administration.put(client)
        },
        { _ = try administration.addResourceServer(wrong, audience: "a", secret: .make(), peppers: keys) },
        { _ = try administration.addResourceServer("a", audience: wrong, secret: .make(), peppers: keys) },
      ] {
        do {
          try body()
          Issue.record("\(wrong) was taken")
        } catch let failure as Failure {
          #expect(!"\(failure)".contains(secret.dropFirst(4)) && failure.hint?.contains("has been seen") == true)
        }
      }
    }
    #expect(try store.verifyAudit().good == before)
    // What is a name, and only begins like one.
    _ = try administration.addUser(named: "mfs_orders", password: nil)
  }

  @Test func aDevice() throws {
    func state() throws -> [Family.End?] {
      [try family()?.end] + (try store.device(user: user.id, id: "d") == nil ? [] : [nil])
    }
    #expect(
      try deed(state) { _ = try administration.removeDevice("d", of: user) } == ["device.removed", "family.ended"])
  }

  @Test func anIdentity() throws {
    let link = IdentityLink(issuer: "google", subject: "s", user: user.id, linkedAt: .now())
    #expect(try store.linkIdentity(link) && administration.links(of: user) == [link])
    func state() throws -> [String?] {
      [try family()?.end?.rawValue] + (try administration.links(of: user).map(\.issuer))
    }
    #expect(throws: Failure(.notFound, "")) { try administration.unlink("apple", from: user) }
    #expect(
      try deed(state) { _ = try administration.unlink("google", from: user) } == ["identity.unlinked", "family.ended"])
    #expect(try state() == ["unlinked"] && store.isDenied(["sid"], now: .now()))
    #expect(throws: Failure(.notFound, "")) { try administration.unlink("google", from: user) }
  }

  @Test func aClient() throws {
    func state() throws -> [String?] { [try store.client("mobile")?.id, try family()?.end?.rawValue] }
    #expect(try deed(state) { try administration.removeClient("mobile") } == ["family.ended", "client.removed"])
    #expect(try state() == [nil, "administrator"])
  }

  @Test func aNewUser() throws {
    #expect(
      try deed({ try store.users().map(\.name) }) {
        _ = try administration.addUser(named: "bob@example.com", password: nil)
      } == ["user.added"])
  }

  @Test func aClientThatIsPut() throws {
    func state() throws -> Client? { try store.client("web") }
    var client = Client(id: "web", name: "Web", redirectURIs: ["https://example.com/back"])
    #expect(try deed(state) { _ = try administration.put(client, replacing: false) } == ["client.added"])
    client.redirectURIs = ["https://example.org/back"]
    let refused = #expect(throws: Failure.self) { _ = try administration.put(client, replacing: false) }
    #expect(refused?.code == .exists)
    #expect(try state()?.redirectURIs == ["https://example.com/back"])
    #expect(try deed(state) { _ = try administration.put(client) } == ["client.changed"])
    let count = try store.verifyAudit().good
    #expect(try administration.put(client) == .unchanged)
    #expect(try store.verifyAudit().good == count)
  }

  @Test func aResourceServer() throws {
    let sealer = Sealer(.keyFile(SecureBox(try SecureBytes.random(count: 32))))
    let peppers = try Peppers(store: AuditedKeys(store, by: "administrator"), sealer: sealer)
    try peppers.tick()
    func state() throws -> ResourceServer? { try store.resourceServer("orders") }
    func add(_ audience: String, replacing: Bool) throws {
      _ = try administration.addResourceServer(
        "orders", audience: audience, secret: try ResourceSecret.make(), peppers: peppers, replacing: replacing)
    }
    #expect(try deed(state) { try add("api", replacing: false) } == ["resource.added"])
    let before = try state()
    let refused = #expect(throws: Failure.self) { try add("other", replacing: false) }
    #expect(refused?.code == .exists)
    #expect(try state() == before)
    #expect(try deed(state) { try add("other", replacing: true) } == ["resource.replaced"])
    #expect(try deed(state) { try administration.removeResourceServer("orders") } == ["resource.removed"])
  }

  @Test func keys() throws {
    let sealer = Sealer(.keyFile(SecureBox(try SecureBytes.random(count: 32))))
    let audited = AuditedKeys(store, by: "administrator")
    let keys = try KeyRing(store: audited, sealer: sealer), peppers = try Peppers(store: audited, sealer: sealer)
    func signing() throws -> [SealedKey] { try store.keys(.signing) }
    #expect(try deed(signing) { try keys.tick() } == ["key.made"])
    #expect(try deed({ try store.keys(.pepper) }) { try peppers.tick() } == ["key.made"])
    #expect(try deed(signing) { _ = try keys.rotateNow() } == ["key.made", "key.retired"])
    let first = try #require(try signing().first)
    let events = try deed({ try signing().first?.removedAt }) { _ = try keys.retire(first.keyID) }
    #expect(events.last == "key.withdrawn" || events.contains("key.withdrawn"))
    let record = try #require(try store.auditRecords(after: 0, limit: 100).last { $0.event == "key.withdrawn" })
    #expect(
      record.fields.contains(.init("kid", first.keyID)) && record.fields.contains(.init("number", "\(first.number)")))
    #expect(record.fields.contains(.init("purpose", "signing")))
  }
}
