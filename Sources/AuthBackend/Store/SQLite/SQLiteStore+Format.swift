public import Basics

extension SQLiteStore {
  /// The format that this version reads and writes.
  public static var newestFormat: Int64 { Migration.all.last?.version ?? 0 }

  /// The format of the database in a file that is there. Nothing is changed.
  ///
  /// Throws ``FailureCode/backendNotInitialised`` for an empty one, ``FailureCode/permissions``, ``FailureCode/storeDamaged``, ``FailureCode/lockTimeout`` and ``FailureCode/inputOutput``.
  public static func format(of path: String) throws(Failure) -> Int64 {
    let version = try StoreFile.prepare(path, mayMake: false) { full throws(Failure) in
      try Database(full, isReader: true).schemaVersion()
    }
    guard version != 0 else { throw StoreFile.empty(path) }
    return version
  }

  /// Checks that a store could be made where none is: its folder is this user's alone, or can be made. Makes nothing. Throws
  /// ``FailureCode/permissions`` and ``FailureCode/inputOutput``.
  public static func checkPlace(_ path: String) throws(Failure) { try StoreFile.checkPlace(path) }
}
