internal import Basics
internal import CSQLite

extension Database {
  /// What an error code of SQLite's means for a caller. SQLite's own text names tables and columns, never values.
  static func failure(_ code: Int32, on connection: OpaquePointer?, doing: String) -> Failure {
    let text = unsafe connection.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    let message = "cannot \(doing) the store: \(OutsideText.clean(text))"
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return Failure(.lockTimeout, message, hint: "another program has held it for \(busyMilliseconds / 1_000) seconds")
    case SQLITE_FULL: return Failure(.inputOutput, message, hint: "make room on the disk; nothing was changed")
    case SQLITE_CORRUPT, SQLITE_NOTADB: return Failure(.storeDamaged, message, hint: "restore it from a backup")
    case SQLITE_NOMEM: return Failure(.outOfMemory, message, hint: Failure.memoryHint)
    case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR:
      return Failure(.inputOutput, message, hint: "look at the disk, and at who may write the file and its folder")
    case SQLITE_CONSTRAINT where code == uniqueCode || code == primaryKeyCode:
      return Failure(.exists, "the store has that already: \(OutsideText.clean(text))")
    default: return Failure(.bug, "\(message) (\(code))")
    }
  }

  static func isLackOfRoom(_ code: Int32) -> Bool { [SQLITE_FULL, writeCode, indexSizeCode].contains(code) }

  // Macros that Swift does not see.
  private static let writeCode: Int32 = 10 | 3 << 8
  private static let indexSizeCode: Int32 = 10 | 19 << 8
  private static let primaryKeyCode: Int32 = 19 | 6 << 8
  private static let uniqueCode: Int32 = 19 | 8 << 8
}
