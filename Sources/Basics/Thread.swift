internal import CLinux
internal import Glibc

/// A thread of the operating system's. It must be joined or let go once.
package struct Thread: Sendable {
  private let handle: pthread_t

  /// Runs `body` on a new thread that takes no signals: those belong to the program's main thread.
  /// Throws ``FailureCode/inputOutput`` when the system has no room for another.
  package init(_ body: @escaping @Sendable () -> Void) throws(Failure) {
    let box = unsafe Unmanaged.passRetained(Box(body))
    let blocked = SignalMask.blockAll()
    defer { blocked.restore() }
    var handle: pthread_t = 0
    let error = unsafe pthread_create(
      &handle, nil,
      { context in
        if let context = unsafe context { unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    guard error == 0 else {
      unsafe box.release()
      throw Failure(.inputOutput, "cannot start a thread: \(systemErrorText(error))")
    }
    self.handle = handle
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(handle, nil) }

  /// Asks for short turns for the calling thread, 0.3 ms long, which is a quarter or less of the usual ones: where all processors are busy
  /// (Linux 6.12 and newer), it begins at once when what it waited for has come, and not after somebody else's turn. Its share of a
  /// processor stays what it was. For a thread that others wait for and that works little at a time; where it is not granted, nothing is
  /// different.
  package static func takeShortTurns() { _ = clinux_set_turn(300_000) }

  /// Lets it run on by itself.
  package func detach() { pthread_detach(handle) }

  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// The signals that a thread takes; new threads inherit it.
package struct SignalMask {
  private let old: sigset_t

  /// Blocks every signal of this thread and remembers what was blocked before.
  package static func blockAll() -> SignalMask {
    var all = sigset_t(), old = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
    return SignalMask(old: old)
  }

  /// Goes back to what was blocked before.
  package func restore() {
    var old = self.old
    unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
  }
}
