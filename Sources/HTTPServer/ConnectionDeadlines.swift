internal import Basics
internal import Glibc

/// By when each connection must have sent its whole request, or taken its whole answer. The library below closes only
/// connections that are silent; one that moves a byte now and then would hold its place for ever.
struct ConnectionDeadlines: Sendable {
  private let open = Monitor<[Int32: MonotonicInstant?]>([:])

  /// A connection was opened, its last request is done, or its answer begins: what comes next must be complete within
  /// `seconds`; 0 is no limit.
  func expect(_ socket: Int32, within seconds: Int) {
    guard socket >= 0 else { return }
    let deadline = seconds > 0 ? MonotonicInstant.now().advanced(bySeconds: Double(seconds)) : nil
    open.withLock(wake: .nobody) { $0[socket] = .some(deadline) }
  }

  /// The request is complete: from here on the time is ours.
  func satisfied(_ socket: Int32) { open.withLock(wake: .nobody) { $0[socket] = .some(nil) } }

  /// The connection is about to be closed.
  func forget(_ socket: Int32) { open.withLock(wake: .nobody) { _ = $0.removeValue(forKey: socket) } }

  /// Shuts down every connection that is overdue; the library then sees its end and closes it. Under the lock the
  /// descriptor cannot have become another connection's.
  func closeOverdue() {
    let now = MonotonicInstant.now()
    open.withLock(wake: .nobody) { open in
      for (socket, deadline) in open {
        guard let deadline, deadline < now else { continue }
        dropOnClose(socket)
        shutdown(socket, Int32(SHUT_RDWR))
        open[socket] = .some(nil)
      }
    }
  }
}

/// Has a socket reset its connection when it is closed, with no lingering: what the kernel still holds for a client that does not read
/// is dropped too.
func dropOnClose(_ socket: Int32) {
  var linger = linger(l_onoff: 1, l_linger: 0)
  unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
}
