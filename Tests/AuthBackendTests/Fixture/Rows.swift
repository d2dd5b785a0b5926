import BackendStore
import Basics
import CSQLite
import CSodium
import Foundation
import JOSE
import SecureMemory
import Vault

extension BackendFixture {
  /// Runs SQL on the database behind the store's back.
  func run(_ sql: String) throws { _ = try rows(sql) }

  /// The first column of each row of some SQL's, as text.
  func rows(_ sql: String) throws -> [String] {
    var database: OpaquePointer?, found: [String] = []
    defer { sqlite3_close_v2(database) }
    var isGood = sqlite3_open(folder("auth.db"), &database) == SQLITE_OK
    sqlite3_busy_timeout(database, 5_000)
    var rest: [CChar] = Array(sql.utf8CString)
    // A statement at a time: what is left of the text is the next one.
    while isGood, rest.count > 1 {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      let left = rest.withUnsafeBufferPointer { text -> [CChar] in
        var tail: UnsafePointer<CChar>?
        isGood = sqlite3_prepare_v2(database, text.baseAddress, -1, &statement, &tail) == SQLITE_OK
        return tail.map { Array(text[(text.baseAddress?.distance(to: $0) ?? 0)...]) } ?? [0]
      }
      rest = isGood ? left : [0]
      var code = isGood && statement != nil ? sqlite3_step(statement) : SQLITE_DONE
      while code == SQLITE_ROW {
        found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        code = sqlite3_step(statement)
      }
      isGood = isGood && code == SQLITE_DONE
    }
    guard isGood else {
      throw NoAnswer(description: "the test's SQL failed: \(String(cString: sqlite3_errmsg(database)))")
    }
    return found
  }

  /// Does something while another connection, as of another process, has the store's lock.
  func whileLocked(_ body: () throws -> Void) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(folder("auth.db"), &database) == SQLITE_OK,
      sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
    else { throw NoAnswer(description: "the test cannot lock the store") }
    try body()
  }

  /// HMAC-SHA256 of a token's prefix and bytes under each pepper of the store, in hexadecimal: made here, by the key file alone.
  func keyedHashes(of token: String) throws -> [String] {
    let prefix = token.utf8.prefix(4), bytes = Array(prefix) + (Base64URL.decode(String(token.dropFirst(4))) ?? [])
    return try store.keys(.pepper).map { row in
      let key = try SealedSecret.open(row.sealed, purpose: KeyName("mfs-authd.pepper"), with: .keyFile(unlock))
      var hash = [UInt8](repeating: 0, count: 32)
      let pepper = key.withBytes { Array($0) }
      _ = crypto_auth_hmacsha256(&hash, bytes, UInt64(bytes.count), pepper)
      return hash.map { String(format: "%02x", $0) }.joined()
    }
  }
}

/// Counts by table the rows that a server adds, changes and removes, by triggers in its database.
struct RowChanges {
  let fixture: BackendFixture

  init(_ fixture: BackendFixture) throws {
    self.fixture = fixture
    let tables = try fixture.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    try fixture.run("CREATE TABLE row_change (name TEXT NOT NULL)")
    for table in tables {
      for step in ["INSERT", "UPDATE", "DELETE"] {
        try fixture.run(
          "CREATE TRIGGER \(table)_\(step) AFTER \(step) ON \(table) BEGIN INSERT INTO row_change VALUES ('\(table)'); END"
        )
      }
    }
  }

  /// What `body` changes.
  func during(_ body: () throws -> Void) throws -> [String: Int] {
    try fixture.run("DELETE FROM row_change")
    try body()
    return Dictionary(grouping: try fixture.rows("SELECT name FROM row_change")) { $0 }.mapValues(\.count)
  }
}
