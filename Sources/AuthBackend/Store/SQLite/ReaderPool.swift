internal import Basics

/// Connections that only read, for as many threads at once as there are connections. They see what is committed, and wait for no
/// writer.
final class ReaderPool: Sendable {
  private let idle: Monitor<[Database]>

  /// All are opened now, and read once, for which SQLite opens its other files: later there may be no descriptor left for one.
  init(_ path: String, limit: Int) throws(Failure) {
    var idle: [Database] = []
    for _ in 0..<limit {
      let database = try Database(path, isReader: true)
      _ = try database.first(ReaderPool.anything) { $0.integer() }
      idle.append(database)
    }
    self.idle = Monitor(idle)
  }

  private static let anything = Query("SELECT count(*) FROM sqlite_schema")

  /// Reads by a connection of its own.
  func read<R>(_ body: (Database) throws(Failure) -> R) throws(Failure) -> R {
    let database = idle.wait { $0.popLast() }
    defer { idle.withLock(wake: .one) { $0.append(database) } }
    return try body(database)
  }
}
