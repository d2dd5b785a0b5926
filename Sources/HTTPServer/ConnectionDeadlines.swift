internal import Glibc

/// By when each connection must have sent its whole request. The library below closes only connections that are silent;
/// one that sends a byte now and then would hold its place for ever.
struct ConnectionDeadlines: Sendable {
  private let open = Monitor<[Int32: Instant?]>([:])

  /// A connection was opened, or its last request is done: the next one must be complete within `seconds`.
  func expect(_ socket: Int32, within seconds: Int) {
    guard socket >= 0 else { return }
    let deadline = seconds > 0 ? Instant.now().advanced(bySeconds: Double(seconds)) : nil
    open.withLock(wake: .nobody) { $0[socket] = .some(deadline) }
  }

  /// The request is complete: from here on the time is ours.
  func satisfied(_ socket: Int32) { open.withLock(wake: .nobody) { $0[socket] = .some(nil) } }

  /// The connection is about to be closed.
  func forget(_ socket: Int32) { open.withLock(wake: .nobody) { _ = $0.removeValue(forKey: socket) } }

  /// Shuts down every connection that is overdue; the library then sees its end and closes it. Under the lock the
  /// descriptor cannot have become another connection's.
  func closeOverdue() {
    let now = Instant.now()
    open.withLock(wake: .nobody) { open in
      for (socket, deadline) in open {
        guard let deadline, deadline < now else { continue }
        shutdown(socket, Int32(SHUT_RDWR))
        open[socket] = .some(nil)
      }
    }
  }
}
