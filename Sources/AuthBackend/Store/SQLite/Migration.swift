internal import Basics

/// One step from a version of the schema to the next. Steps that were released never change.
package struct Migration: Sendable {
  /// The version that it leads to.
  package let version: Int64
  /// What it does.
  package let sql: String

  /// A step.
  package init(version: Int64, sql: String) {
    self.version = version
    self.sql = sql
  }

  /// All of them, from an empty database on.
  package static let all: [Migration] = [
    Migration(version: 1, sql: signInTables), Migration(version: 2, sql: deviceTables),
    Migration(version: 3, sql: identityLinkTables), Migration(version: 4, sql: resourceServerTables),
    Migration(version: 5, sql: unredeemedIndexes + deviceKeys),
  ]
}

extension Database {
  private static let readVersion = Query("SELECT coalesce(max(version), 0) FROM schema_version")
  private static let findVersions = Query("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'")
  private static let countTables = Query("SELECT count(*) FROM sqlite_schema")
  private static let noteVersion = Query("INSERT INTO schema_version (version, applied_at) VALUES (?, ?)")

  /// The version of the schema that is there, 0 for none. Throws ``FailureCode/storeDamaged`` for a database that is none of ours.
  func schemaVersion() throws(Failure) -> Int64 {
    if try first(Database.findVersions, read: { $0.integer() }) == 0 {
      guard try first(Database.countTables, read: { $0.integer() }) == 0 else {
        throw Failure(.storeDamaged, "the file is a database of some other program", hint: "is it the right file?")
      }
      return 0
    }
    do throws(Failure) { return try first(Database.readVersion, read: { $0.integer() }) ?? 0 } catch {
      // The table has other columns, or is a view of something that is gone.
      guard error.code == .bug else { throw error }
      throw Failure(.storeDamaged, "the store does not know its format", hint: "restore it from a backup")
    }
  }

  /// Brings the schema to the newest version of `migrations`, each step in a transaction of its own; a new one is made whole in one, so that
  /// who is killed meanwhile leaves nothing behind and may begin again. Throws
  /// ``FailureCode/storeNewerFormat``, and ``FailureCode/storeOlderFormat`` or ``FailureCode/backendNotInitialised`` when it is not to be
  /// changed.
  func migrate(_ migrations: [Migration], mayChange: Bool, path: String) throws(Failure) {
    let newest = migrations.last?.version ?? 0
    let version = try schemaVersion()
    guard version <= newest else {
      throw Failure(
        .storeNewerFormat, "the store has format \(version); this version knows formats up to \(newest)",
        hint: "use the version that made it, or restore a backup from before")
    }
    guard version != 0 || mayChange else { throw StoreFile.empty(path) }
    guard version == newest || mayChange else {
      throw Failure(
        .storeOlderFormat, "the store has format \(version) and must be brought to format \(newest) first",
        hint: "make a backup, then: mfs-authd migrate")
    }
    let missing = migrations.filter { $0.version > version }
    for steps in version == 0 ? [missing] : missing.map({ [$0] }) { try apply(steps) }
  }

  private func apply(_ steps: [Migration]) throws(Failure) {
    try begin()
    do throws(Failure) {
      for step in steps {
        if step.version == 1 {
          try execute(
            "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT")
        }
        try execute(step.sql)
        try run(Database.noteVersion, .integer(step.version), .time(Timestamp.now()))
      }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }
}
