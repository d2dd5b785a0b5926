internal import Basics

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

  private let state = Monitor(State.idle)
  private let database: Database
  private var thread: Thread?

  /// Works by a connection of its own.
  init(_ path: String) throws(Failure) {
    database = try Database(path, isReader: false)
    thread = try Thread { [self] in work() }
  }

  /// Ends the thread. To be called once.
  func close() {
    state.withLock { $0 = .closed }
    thread?.join()
    thread = nil
  }

  /// Whether the log is long enough to be written back.
  func isDue(_ writer: Database) -> Bool { writer.logPages >= Checkpointer.limit }

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
