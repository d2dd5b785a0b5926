import CSQLite
import Foundation
import TestSupport
import Testing

/// `audit verify` with a head that was noted elsewhere: the only way to see that the end of the log was cut off.
@Suite("The head of the audit log") struct AuditHeadTests {
  private func run(_ sql: String, _ daemon: Daemon) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    try #require(sqlite3_open(daemon.sandbox("data/auth.db"), &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  @Test("a log that was cut is whole by itself, and not by a head of before") func cut() throws {
    let daemon = try Daemon()
    let head = try daemon.admin("audit", "verify").text.trimmingCharacters(in: .whitespacesAndNewlines)
    let count = try #require(head.split(separator: ":").first.flatMap { Int($0) })
    #expect(count > 3)
    #expect(try daemon.admin("audit", "verify", "--head", head).text == head + "\n")
    try run("DROP TRIGGER audit_is_kept; DELETE FROM audit WHERE number > \(count - 2)", daemon)
    let cut = try daemon.admin("audit", "verify").text
    #expect(cut.hasPrefix("\(count - 2):"))
    #expect(
      try daemon.admin("audit", "verify", "--head", head, status: 31).text
        == "record \(count) is not what was written\n")
    // What was written since does not hide it.
    while try daemon.admin("audit", "verify").text.split(separator: ":").first.flatMap({ Int($0) }) ?? 0 < count {
      try daemon.admin("client", "add", "c\(UUID().uuidString)", "--redirect-uri", "com.example.later:/cb")
    }
    try daemon.admin("audit", "verify")
    #expect(
      try daemon.admin("audit", "verify", "--head", head, status: 31).text
        == "record \(count) is not what was written\n")
  }
}
