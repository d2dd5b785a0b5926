internal import Basics

/// Connections that only read, for as many threads at once as there are connections. They see what is committed, and wait for no
/// writer.
final class ReaderPool: Sendable {
  private struct State: Sendable {
    var idle: [Database] = []
    var opened = 0
  }

  private let state = Monitor(State())
  private let path: String
  private let limit: Int

  init(_ path: String, limit: Int) {
    self.path = path
    self.limit = limit
  }

  /// Reads by a connection of its own.
  func read<R>(_ body: (Database) throws(Failure) -> R) throws(Failure) -> R {
    let database = try take()
    defer { state.withLock(wake: .one) { $0.idle.append(database) } }
    return try body(database)
  }

  private func take() throws(Failure) -> Database {
    // Nil in the answer is leave to open one more.
    let idle: Database? = state.wait { state -> Database?? in
      if let database = state.idle.popLast() { return .some(database) }
      guard state.opened < limit else { return nil }
      state.opened += 1
      return .some(nil)
    }
    if let idle { return idle }
    do throws(Failure) { return try Database(path, isReader: true) } catch {
      state.withLock(wake: .one) { $0.opened -= 1 }
      throw error
    }
  }
}
