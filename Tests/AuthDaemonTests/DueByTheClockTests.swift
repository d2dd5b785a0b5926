import BackendKeys
import BackendStore
import Basics
import CSQLite
import Foundation
import SecureMemory
import TestSupport
import Testing
import Vault

@testable import BackendAdmin

/// What a server that runs does by itself, with a clock that a test turns.
@Suite("What is due by the clock") struct DueByTheClockTests {
  private static let start = Timestamp(seconds: 1_780_272_000), day: Int64 = 86_400

  private let sandbox: Sandbox
  private let time: Monitor<Timestamp>
  private let store: SQLiteStore
  private let log: ServiceLog
  private let file: FileHandle
  private let service: BackendService

  init() throws {
    let sandbox = try Sandbox(), time = Monitor(DueByTheClockTests.start)
    try sandbox.write(
      "c.yaml", "MFS_AUTHD_ISSUER: http://127.0.0.1:8480\nMFS_AUTHD_LISTEN_PORT: 0\nMFS_AUTHD_DATABASE: auth.db\n")
    try sandbox.write("log", "")
    file = try #require(FileHandle(forWritingAtPath: sandbox("log")))
    log = try ServiceLog(descriptor: file.fileDescriptor)
    store = try SQLiteStore(path: sandbox("auth.db"))
    service = try BackendService.start(
      .load(file: sandbox("c.yaml"), environment: Environment([:])), store: store,
      sealer: Sealer(.keyFile(SecureBox(try SecureBytes.random(count: 32)))), version: "1", log: log,
      clock: { time.withLock { $0 } })
    (self.sandbox, self.time) = (sandbox, time)
  }

  private func turn(days: Int64) { time.withLock { $0 = $0.advanced(by: days * DueByTheClockTests.day) } }

  /// Does all that is due, as the server's own thread does each minute and each hour.
  private func doAll() { for task in service.housekeeping.tasks { task.run { false } } }

  private func run(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    try #require(sqlite3_open(sandbox("auth.db"), &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  /// The lines of the log of an event.
  private func logged(_ event: String) throws -> [[String: Any]] {
    log.flush(within: 10)
    return try Daemon.lines(String(contentsOfFile: sandbox("log"), encoding: .utf8)).filter {
      $0["event"] as? String == event
    }
  }

  private func begin(_ number: UInt8) throws {
    let now = time.withLock { $0 }
    if number == 1 { try store.add(User(id: "u", name: "alice", passwordHash: nil, createdAt: now)) }
    let family = Family(
      id: "sid-\(number)", handle: [UInt8](repeating: number, count: 16), user: "u", client: "mobile", device: nil,
      scopes: [], authTime: now, createdAt: now, expiresAt: now.advanced(by: 90 * DueByTheClockTests.day),
      idleSeconds: 90 * DueByTheClockTests.day, current: KeyedHash(pepper: 1, bytes: [number]))
    #expect(try store.begin(family))
  }

  @Test("keys and peppers each minute, what is over a minute after the start and then each hour")
  func often() {
    defer { service.stop() }
    #expect(service.housekeeping.tasks.map(\.first) == [60, 60, 60])
    #expect(service.housekeeping.tasks.map(\.seconds) == [60, 60, 3_600])
  }

  @Test("after 90 days there is one new signing key and one new pepper, recorded and told of, and not before")
  func rotation() throws {
    defer { service.stop() }
    func purposes() throws -> [String] {
      try store.auditRecords(after: 0, limit: 100).filter { $0.event == "key.made" }.map { record in
        record.fields.first { $0.name == "purpose" }?.value ?? ""
      }.sorted()
    }
    let first = try store.keys(.signing).map(\.number) + store.keys(.pepper).map(\.number)
    #expect(first.count == 2)
    turn(days: 89)
    doAll()
    #expect(try purposes() == ["pepper", "signing"])
    turn(days: 1)
    doAll()
    doAll()
    #expect(try purposes() == ["pepper", "pepper", "signing", "signing"])
    let made = try logged("key.made").compactMap { $0["purpose"] as? String }
    #expect(made.sorted() == ["pepper", "pepper", "signing", "signing"])
    // What the new ones follow on is taken out of use, each in its time.
    turn(days: 1)
    doAll()
    #expect(try store.keys(.signing).map(\.number).allSatisfy { !first.contains($0) }, "its last token was over")
    #expect(try store.keys(.pepper).count == 2, "refresh tokens of before still count")
  }

  @Test("a sign-in is gone 30 days after its end, and not before")
  func pruning() throws {
    defer { service.stop() }
    try begin(1)
    try begin(2)
    _ = try store.end(.id("sid-1"), .revoked, now: time.withLock { $0 }, denyUntil: nil)
    turn(days: 29)
    doAll()
    #expect(try store.family(id: "sid-1") != nil)
    turn(days: 2)
    doAll()
    #expect(try store.family(id: "sid-1") == nil)
    #expect(try store.family(id: "sid-2") != nil, "it is good for 90 days")
  }

  @Test(
    "what fails is an alert by its name, and is done the next time",
    arguments: [
      ("keys.failed", "server_key"), ("peppers.failed", "server_key"), ("prune.failed", "family"),
    ]) func failures(_ alert: String, _ table: String) throws
  {
    defer { service.stop() }
    turn(days: 90)
    try run("ALTER TABLE \(table) RENAME TO gone")
    doAll()
    let told = try logged(alert)
    #expect(told.count == 1 && told.first?["level"] as? String == "alert")
    #expect((told.first?["failure"] as? String)?.isEmpty == false)
    try run("ALTER TABLE gone RENAME TO \(table)")
    doAll()
    #expect(try logged(alert).count == 1)
    #expect(try logged("key.made").count == 4)
  }
}
