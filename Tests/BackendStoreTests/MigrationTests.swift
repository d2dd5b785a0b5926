import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import Testing

@Suite struct MigrationTests {
  private let newest = Migration.all.last?.version ?? 0
  private let allVersions = Migration.all.map { String($0.version) }.joined(separator: ",")

  @Test("A store of an older format is brought forward with what is in it, when that is asked for")
  func anOlderStoreIsBroughtForward() throws {
    let place = try Place()
    do {
      let old = try SQLiteStore(path: place.path, migrations: Array(Migration.all.prefix(1)))
      try old.add(User(id: "u1", name: "alice", passwordHash: nil, createdAt: Timestamp(seconds: 1)))
      _ = try old.audit("event", [], at: Timestamp(seconds: 1))
    }
    #expect(try place.value("SELECT max(version) FROM schema_version") == "1")
    #expect(throws: Failure(.storeOlderFormat, "")) { try SQLiteStore(path: place.path, migrate: false) }
    #expect(try place.value("SELECT max(version) FROM schema_version") == "1")
    let store = try SQLiteStore(path: place.path)
    #expect(try store.user(named: "alice")?.id == "u1")
    #expect(try store.verifyAudit().good == 1)
    #expect(try store.devices(user: nil, limit: 1) == [])
    #expect(try place.value("SELECT group_concat(version) FROM schema_version") == allVersions)
    _ = try SQLiteStore(path: place.path, migrate: false)
  }

  @Test("Identity links that stood among the consents stay links, and the consents stay")
  func identityLinksAreKept() throws {
    let place = try Place()
    do {
      let old = try SQLiteStore(path: place.path, migrations: Array(Migration.all.prefix(2)))
      for user in ["u1", "u2", "u3", "u4"] {
        try old.add(User(id: user, name: user, passwordHash: nil, createdAt: Timestamp(seconds: 1)))
      }
      func link(_ provider: String, _ subject: String, _ user: String, isWhole: Bool = true) throws {
        try old.addConsent(user: user, client: "identity-provider/\(provider)", scopes: [subject])
        guard isWhole else { return }
        try old.addConsent(user: "identity/\(subject)", client: "identity-provider/\(provider)", scopes: [user])
      }
      try link("apple", "s1", "u1")
      try link("google", "g1", "u1")
      try link("apple", "s2", "u2")
      // Cut off before its other half was there.
      try link("apple", "s3", "u3", isWhole: false)
      // Two at once, who kept each other out.
      try link("apple", "s4", "u4", isWhole: false)
      try link("apple", "s5", "u4", isWhole: false)
      try old.addConsent(user: "u1", client: "third", scopes: ["profile"])
    }
    let store = try SQLiteStore(path: place.path, migrate: true)
    let links = try ["u1", "u2", "u3", "u4"].map { user in
      try store.identityLinks(user: user).map { "\($0.issuer)/\($0.subject)" }
    }
    #expect(links == [["apple/s1", "google/g1"], ["apple/s2"], ["apple/s3"], []])
    #expect(try store.identityLink(issuer: "google", subject: "g1")?.user == "u1")
    #expect(try store.consent(user: "u1", client: "third") == ["profile"])
    #expect(try place.value("SELECT count(*) FROM consent") == "1")
  }

  @Test("A key that several devices had stays with the one that used it last, and the devices stay")
  func keysBecomeOneDevices() throws {
    let place = try Place()
    do {
      _ = try SQLiteStore(path: place.path, migrations: Migration.all.filter { $0.version < 4 })
      let devices: [(String, String, UInt8, Int64)] = [
        ("u1", "d1", 1, 3), ("u2", "d1", 1, 5), ("u3", "d1", 1, 5), ("u1", "d2", 2, 0),
      ]
      for (index, (user, id, key, counter)) in devices.enumerated() {
        try place.run(
          """
          INSERT INTO device VALUES ('\(user)', '\(id)', '', '', \(10 - index), \(10 - index), x'0\(key)', x'0\(key)',
            \(counter), 'attested', \(10 - index))
          """)
      }
    }
    let store = try SQLiteStore(path: place.path, migrate: true)
    // Two have the counter; of these one was seen later.
    #expect(try store.device(keyID: [1])?.user == "u2")
    #expect(try store.device(keyID: [1])?.key?.counter == 5)
    #expect(try store.device(keyID: [2])?.id == "d2")
    #expect(try store.devices(user: nil, limit: 10).count { $0.key == nil && $0.verdict != nil } == 2)
  }

  @Test("A step that fails leaves the format and the data as they were")
  func aStepThatFailsLeavesNothing() throws {
    let place = try Place()
    _ = try SQLiteStore(path: place.path)
    let broken =
      Migration.all + [
        Migration(version: newest + 1, sql: "CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);")
      ]
    #expect(throws: Failure.self) { try SQLiteStore(path: place.path, migrations: broken) }
    #expect(try place.value("SELECT max(version) FROM schema_version") == "\(newest)")
    #expect(try place.value("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'") == "0")
    try SQLiteStore(path: place.path).probe()
  }

  @Test("A new store is made whole or not at all, so that who is interrupted may begin again")
  func aNewStoreIsMadeWhole() throws {
    let place = try Place()
    let broken = Migration.all.dropLast() + [Migration(version: newest, sql: "INSERT INTO nowhere VALUES (1);")]
    #expect(throws: Failure.self) { try SQLiteStore(path: place.path, migrations: Array(broken)) }
    #expect(try place.value("SELECT count(*) FROM sqlite_schema") == "0")
    // What is left has no format yet, and who did not ask for a new store makes none of it.
    #expect(throws: Failure(.backendNotInitialised, "")) { try SQLiteStore(path: place.path, migrate: false) }
    #expect(throws: Failure(.backendNotInitialised, "")) { try SQLiteStore.format(of: place.path) }
    #expect(try place.value("SELECT count(*) FROM sqlite_schema") == "0")
    try SQLiteStore(path: place.path).probe()
    #expect(try place.value("SELECT count(*) FROM schema_version") == "\(newest)")
  }

  @Test("An empty file stays one, and a missing one is missed, where no new store was asked for")
  func nothingIsMadeUnasked() throws {
    let place = try Place(), folder = URL(fileURLWithPath: place.path).deletingLastPathComponent().path
    try Files.makePrivateDirectory(folder)
    #expect(throws: Failure(.inputOutput, "")) { try SQLiteStore(path: place.path, migrate: false) }
    try Data().write(to: URL(fileURLWithPath: place.path))
    chmod(place.path, 0o600)
    #expect(throws: Failure(.backendNotInitialised, "")) { try SQLiteStore(path: place.path, migrate: false) }
    #expect(throws: Failure(.backendNotInitialised, "")) { try SQLiteStore.format(of: place.path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.path)).isEmpty)
  }

  @Test("A store of a newer format is refused and not touched")
  func aNewerStoreIsRefused() throws {
    let place = try Place()
    let newer = Migration.all + [Migration(version: newest + 1, sql: "CREATE TABLE extra (x INTEGER) STRICT")]
    _ = try SQLiteStore(path: place.path, migrations: newer)
    do {
      _ = try SQLiteStore(path: place.path)
      Issue.record("a newer format was opened")
    } catch {
      #expect(error.code == .storeNewerFormat && error.code.exit.rawValue == 33)
      #expect(error.message.contains("format \(newest + 1)"))
    }
    #expect(try place.value("SELECT max(version) FROM schema_version") == "\(newest + 1)")
  }

  @Test("Neither another program's database nor a file that is none is opened")
  func foreignFilesAreRefused() throws {
    let place = try Place()
    try place.sandbox.write(
      "store-0/authd.sqlite", "this is no database, and long enough to be read as one: 0123456789", mode: 0o600)
    #expect(throws: Failure(.storeDamaged, "")) { try SQLiteStore(path: place.path) }
    try place.sandbox.write("store-0/authd.sqlite", "", mode: 0o600)
    try place.run("CREATE TABLE theirs (x)")
    #expect(throws: Failure(.storeDamaged, "")) { try SQLiteStore(path: place.path) }
    #expect(try place.value("SELECT count(*) FROM sqlite_schema") == "1")
  }

  @Test("Many who make one store at once make it once")
  func manyMakeItOnce() throws {
    let place = try Place()
    let done = Monitor((count: 0, failures: [Failure]()))
    for _ in 0..<8 {
      try Thread {
        do throws(Failure) { try SQLiteStore(path: place.path).probe() } catch {
          done.withLock { $0.failures.append(error) }
        }
        done.withLock { $0.count += 1 }
      }.detach()
    }
    #expect(done.wait { $0.count == 8 ? $0.failures : nil } == [])
    #expect(try place.value("SELECT group_concat(version) FROM schema_version") == allVersions)
  }
}
