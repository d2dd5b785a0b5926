import BackendStore
import Foundation
import TestSupport
import Testing

/// `mfs-authd migrate`, from each format that there was.
@Suite struct MigrateCommandTests {
  /// Copies into one database what another one has in the columns that the first knows.
  private static let copying = """
    import sqlite3, sys
    old = sqlite3.connect(sys.argv[1])
    old.execute("ATTACH ? AS new", (sys.argv[2],))
    names = lambda schema, kind: [row[0] for row in old.execute(
        f"SELECT name FROM {schema}.sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%'", (kind,))]
    for table in set(names("main", "table")) & set(names("new", "table")) - {"schema_version"}:
        columns = [row[1] for row in old.execute(f"PRAGMA main.table_info({table})")]
        kept = {row[1] for row in old.execute(f"PRAGMA new.table_info({table})")}
        list = ", ".join(column for column in columns if column in kept)
        old.execute(f"INSERT INTO main.{table} ({list}) SELECT {list} FROM new.{table} ORDER BY 1")
    old.commit()
    """

  private static var older: [Int64] { Migration.all.map(\.version).filter { $0 < SQLiteStore.newestFormat } }

  @Test(arguments: MigrateCommandTests.older) func anOlderDatabaseIsBroughtForward(format: Int64) throws {
    let daemon = try Daemon(), file = "old/auth.db", newest = SQLiteStore.newestFormat
    do {
      _ = try SQLiteStore(
        path: daemon.sandbox(file), migrations: Migration.all.filter { $0.version <= format })
    }
    let copied = try run(
      ["/usr/bin/python3", "-c", MigrateCommandTests.copying, daemon.sandbox(file), daemon.sandbox("data/auth.db")],
      in: daemon.sandbox)
    #expect(copied.status == 0, "\(copied.errorText)")
    #expect(try SQLiteStore.format(of: daemon.sandbox(file)) == format)

    // Nothing else takes it as it is, and nothing changes it unasked.
    for words in [["serve"], ["user", "list"]] {
      let refused = try daemon.admin(words, status: 3, database: file)
      #expect(refused.errorText.contains("format \(format) and must be brought to format \(newest)"))
      #expect(refused.errorText.contains("mfs-authd migrate"))
    }
    #expect(try SQLiteStore.format(of: daemon.sandbox(file)) == format)

    let done = try daemon.admin("migrate", database: file)
    #expect(done.errorText == "brought the database from format \(format) to format \(newest)\n")
    #expect(
      try daemon.admin("migrate", "--json", database: file).text
        == "{\"database\":\"\(file)\",\"current\":true,\"from\":\(newest),\"format\":\(newest)}\n")

    // What was in it is there, and its keys open.
    for words in [["user", "list"], ["client", "list"], ["key", "list"], ["pepper", "list"], ["audit", "show"]] {
      let before = try daemon.admin(words).text
      #expect(try !before.isEmpty && daemon.admin(words, database: file).text == before, "\(words)")
    }
    try daemon.serve(database: file)
    let one = try daemon.signIn(device: "dev_1")
    #expect(try daemon.refresh(one.tokens.refresh_token, device: "dev_1").status == 200)
    #expect(try daemon.stop().status == 0)
    #expect(try daemon.admin("audit", "verify", database: file).status == 0)
  }
}
