public import Basics
internal import Synchronization

/// The store in a SQLite database: a file, its `-wal` and `-shm` beside it while it is open, and a `.lock`.
///
/// Durability, the schema and the order of the checks are described in docs/BACKEND-STORE.md. Any number of stores, in any number
/// of processes on one machine, may be open on one file; it must not be on a network file system.
public final class SQLiteStore: AuthStore {
  let writer: CommitQueue
  let readers: ReaderPool
  let clientChanges = Atomic<UInt64>(0)

  /// Opens the database. With `migrate` it is made when it is missing or empty, with mode 0600, and one of an older format is brought
  /// forward; without, it is left as it is. `readers` is how many threads can read at once, `batch` how many steps one transaction may hold.
  ///
  /// Throws ``FailureCode/permissions`` when others can get at the file or its folder, ``FailureCode/storeNewerFormat``,
  /// ``FailureCode/storeOlderFormat``, ``FailureCode/backendNotInitialised`` for an empty one, ``FailureCode/storeDamaged``,
  /// ``FailureCode/lockTimeout`` and ``FailureCode/inputOutput``.
  public convenience init(
    path: String, migrate: Bool = true, readers: Int = 4, batch: Int = 64
  ) throws(Failure) {
    try self.init(path: path, migrations: Migration.all, mayMigrate: migrate, readers: readers, batch: batch)
  }

  /// The same with other steps than those that were released.
  package init(
    path: String, migrations: [Migration], mayMigrate: Bool = true, readers: Int = 4, batch: Int = 64
  ) throws(Failure) {
    (writer, self.readers) = try StoreFile.prepare(path, mayMake: mayMigrate) { full throws(Failure) in
      let database = try Database(full, isReader: false)
      try database.migrate(migrations, mayChange: mayMigrate, path: path)
      // The readers first: what throws after a thread has started would leave it running on the database.
      let pool = try ReaderPool(full, limit: max(1, readers))
      return (try CommitQueue(database, checkpointer: try Checkpointer(full), limit: max(1, batch)), pool)
    }
  }

  deinit { writer.close() }

  private static let probeQuery = Query("UPDATE schema_version SET version = version WHERE version = 1")

  /// See ``AuthStore/probe()``.
  public func probe() throws(Failure) {
    try writer.perform { database throws(Failure) in
      guard try database.run(SQLiteStore.probeQuery) == 1 else {
        throw Failure(.storeDamaged, "the store does not know its format", hint: "restore it from a backup")
      }
    }
  }
}
