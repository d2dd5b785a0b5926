import BackendStore
import BackendStoreConformance
import Basics
import CSQLite
import TestSupport

/// Where a test keeps its databases: a new one after each reset.
final class Place: Sendable {
  let sandbox: Sandbox
  private let number = Monitor(0)

  init() throws { sandbox = try Sandbox() }

  var path: String { sandbox("store-\(number.withLock { $0 })/authd.sqlite") }

  /// Begins a new database; with `fault`, SQL that breaks it on purpose.
  func reset(fault: String? = nil) throws(Failure) {
    number.withLock { $0 += 1 }
    _ = try SQLiteStore(path: path)
    if let fault { try run(fault) }
  }

  func open() throws(Failure) -> SQLiteStore { try SQLiteStore(path: path) }

  /// Runs SQL on the database behind the store's back.
  func run(_ sql: String) throws(Failure) {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK, sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(.bug, "the test's SQL failed: \(String(cString: sqlite3_errmsg(database)))")
    }
  }

  /// The first column of a query's first row, as text.
  func value(_ sql: String) throws(Failure) -> String? {
    var database: OpaquePointer?, statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(database)
    }
    guard sqlite3_open(path, &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else { throw Failure(.bug, "the test's SQL failed: \(String(cString: sqlite3_errmsg(database)))") }
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { return nil }
    return String(cString: text)
  }

  /// Runs `body` while another connection has the write lock.
  func whileLocked(_ body: () throws -> Void) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK,
      sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
    else { throw Failure(.bug, "the test cannot lock the store") }
    try body()
  }

  func suite(fault: String? = nil, rounds: Int = 3) -> StoreConformance {
    StoreConformance(
      rounds: rounds, reset: { () throws(Failure) in try self.reset(fault: fault) },
      open: { () throws(Failure) in try self.open() })
  }
}
