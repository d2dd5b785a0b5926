internal import Basics
internal import CSQLite

/// One connection to the database, for one thread at a time.
@safe final class Database: @unchecked Sendable {
  private let handle: OpaquePointer
  private var statements: [ObjectIdentifier: Statement] = [:]
  private let pages: UnsafeMutablePointer<Int32>

  /// Opens a database that is there. `isReader` refuses writes.
  init(_ path: String, isReader: Bool) throws(Failure) {
    var made: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(path, &made, flags, nil)
    guard code == SQLITE_OK, let made = unsafe made else {
      let failure = unsafe Database.failure(code, on: made, doing: "open")
      unsafe sqlite3_close_v2(made)
      throw failure
    }
    unsafe handle = made
    unsafe pages = .allocate(capacity: 1)
    unsafe pages.initialize(to: 0)
    unsafe mfs_set_busy_limit(made, Database.busyMilliseconds)
    try execute("PRAGMA temp_store = MEMORY")
    // What a file of somebody else's making could hide in its schema does not run.
    try execute("PRAGMA trusted_schema = OFF")
    if isReader {
      try execute("PRAGMA query_only = ON")
    } else {
      try execute("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = FULL")
      // The log is written back beside the writer: see Checkpointer.
      unsafe mfs_watch_log(handle, pages)
      // After a rush the log becomes small again.
      try execute("PRAGMA journal_size_limit = 67108864")
    }
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
    unsafe pages.deallocate()
  }

  /// How many pages the write-ahead log had after the last commit of this connection's.
  var logPages: Int { Int(unsafe pages.pointee) }

  /// How long another process may hold the lock.
  static let busyMilliseconds: Int32 = 5_000

  /// Whether a statement waits while another process has the lock, as it does at first, or fails at once.
  func waitForOthers(_ mayWait: Bool) {
    _ = unsafe mfs_set_busy_limit(handle, mayWait ? Database.busyMilliseconds : 0)
  }

  /// Runs SQL without parameters that is not used again.
  func execute(_ sql: String) throws(Failure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Runs a statement that returns no rows, and says how many it changed.
  @discardableResult
  func run(_ query: Query, _ values: SQLValue...) throws(Failure) -> Int {
    let statement = try prepared(query)
    defer { statement.reset() }
    let bound = statement.bind(values)
    guard bound == SQLITE_OK else { throw failure(bound) }
    let code = statement.step()
    guard code == SQLITE_DONE else { throw failure(code) }
    return Int(unsafe sqlite3_changes(handle))
  }

  /// The first row of a statement's.
  func first<T>(_ query: Query, _ values: SQLValue..., read: (inout Row) -> T) throws(Failure) -> T? {
    let statement = try prepared(query)
    defer { statement.reset() }
    let bound = statement.bind(values)
    guard bound == SQLITE_OK else { throw failure(bound) }
    return try next(statement, read)
  }

  /// All rows of a statement's.
  func all<T>(_ query: Query, _ values: SQLValue..., read: (inout Row) -> T) throws(Failure) -> [T] {
    let statement = try prepared(query)
    defer { statement.reset() }
    let bound = statement.bind(values)
    guard bound == SQLITE_OK else { throw failure(bound) }
    var found: [T] = []
    while let one = try next(statement, read) { found.append(one) }
    return found
  }

  /// How many rows were ever changed on this connection.
  var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

  /// Whether a transaction is open: some errors end it unasked.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Whether what failed last did so because a file could not grow: the disk is full, or a quota or a limit on the size of files is reached.
  var lacksRoom: Bool { Database.isLackOfRoom(unsafe sqlite3_extended_errcode(handle)) }

  private func next<T>(_ statement: Statement, _ read: (inout Row) -> T) throws(Failure) -> T? {
    let code = statement.step()
    if code == SQLITE_DONE { return nil }
    guard code == SQLITE_ROW else { throw failure(code) }
    var row = Row(statement)
    let value = read(&row)
    if row.isOdd {
      throw Failure(.storeDamaged, "the store has a row that cannot be read", hint: "restore it from a backup")
    }
    return value
  }

  private func prepared(_ query: Query) throws(Failure) -> Statement {
    if let statement = statements[ObjectIdentifier(query)] { return statement }
    let statement = try unsafe Statement(query.sql, on: handle)
    statements[ObjectIdentifier(query)] = statement
    return statement
  }

  private func failure(_ code: Int32) -> Failure { unsafe Database.failure(code, on: handle, doing: "use") }
}
