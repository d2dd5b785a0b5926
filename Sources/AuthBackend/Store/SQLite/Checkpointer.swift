internal import Basics
internal import Glibc

/// Writes the write-ahead log back into the database beside the writer, so that sign-ins do not wait for it.
///
/// While it works commits go on, so there is always something left; that little the writer writes back itself, after the thread that
/// writes has released its callers, or before a caller who committed his step himself goes on. Then all of the log is written back, and the
/// next commit begins it anew.
final class Checkpointer: @unchecked Sendable {
  private enum State {
    case idle, wanted, left, closed
  }

  /// How many pages the log may have before it is written back: 16 MiB.
  static let limit = 4_000
  /// With fewer it never is, however little room there is: 1 MiB.
  private static let least = 256
  /// How many pages are written between two looks at the disk.
  private static let step = 64

  private let path: String
  private let state = Monitor(State.idle)
  private let database: Database
  private var thread: Thread?
  // These two are the writer's alone.
  private var seen: (pages: Int, isScarce: Bool) = (0, false)
  private var nextTry: MonotonicInstant?

  /// Works by a connection of its own.
  init(_ path: String) throws(Failure) {
    self.path = path
    database = try Database(path, isReader: false)
    thread = try Thread { [self] in work() }
  }

  /// Ends the thread. To be called once.
  func close() {
    state.withLock { $0 = .closed }
    thread?.join()
    thread = nil
  }

  /// Whether the log is long enough to be written back: at the limit, or when it has as much as the disk has left. So it never takes the
  /// room that the database needs for what is in it.
  func isDue(_ writer: Database) -> Bool {
    let pages = writer.logPages
    guard pages >= Checkpointer.least else {
      seen.pages = 0
      return false
    }
    return pages >= Checkpointer.limit || isScarce(pages)
  }

  private func isScarce(_ pages: Int) -> Bool {
    if pages / Checkpointer.step == seen.pages / Checkpointer.step { return seen.isScarce }
    var status = statvfs()
    // File systems that do not count have no blocks.
    let isKnown = unsafe statvfs(path, &status) == 0 && status.f_blocks > 0
    seen = (pages, isKnown && Double(status.f_bavail) * Double(status.f_frsize) < Double(pages) * 4_096)
    return seen.isScarce
  }

  /// Called by the writer, by its own connection, after each commit. It may write some of the log back, and wait for others.
  func committed(_ writer: Database) {
    guard isDue(writer) else { return }
    let isLeft = state.withLock { state in
      defer { if state == .idle { state = .wanted } }
      guard state == .left else { return false }
      state = .idle
      return true
    }
    guard isLeft else { return }
    // Whatever reads for long, a backup for one, keeps the log from being begun anew until it is done. No mode that waits for readers:
    // everybody who wants to write would wait with it. What fails is tried again after the next commits, and nothing is lost: the log has
    // everything.
    _ = try? writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
  }

  /// Called by the writer, by its own connection, when the log could not grow. True when all of it was written back, so that the next commit
  /// begins it anew, in the room that it has.
  ///
  /// The database may need room for that too. Where it finds none it is tried again after a second at the earliest: each time, all that fits
  /// is written.
  func makesRoom(_ writer: Database) -> Bool {
    if let nextTry, MonotonicInstant.now() < nextTry { return false }
    do throws(Failure) {
      let isWhole = try writer.first(Checkpointer.query) { row in
        let isBusy = row.bool(), pages = row.integer()
        return !isBusy && pages == row.integer()
      }
      nextTry = nil
      return isWhole ?? false
    } catch {
      nextTry = MonotonicInstant.now().advanced(bySeconds: 1)
      return false
    }
  }

  private static let query = Query("PRAGMA wal_checkpoint(PASSIVE)")

  private func work() {
    while true {
      let isClosed = state.wait { state -> Bool? in
        switch state {
        case .closed: true
        case .wanted: false
        case .idle, .left: nil
        }
      }
      if isClosed { return }
      _ = try? database.execute("PRAGMA wal_checkpoint(PASSIVE)")
      state.withLock { if $0 == .wanted { $0 = .left } }
    }
  }
}
