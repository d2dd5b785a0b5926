internal import CLinux
internal import Glibc

/// A `flock(2)`, exclusive unless said otherwise, which the kernel lets go of when its holder dies. It belongs on a file of its own that is never
/// replaced or removed: a lock on a file that is renamed over would be lost with it.
public enum FileLock {
  /// Takes the lock, waiting until `deadline`; false when somebody else still has it then. `onWait` is called once, when
  /// that takes more than a second. A `shared` lock shuts out only who wants it alone. Throws ``FailureCode/inputOutput`` when the file system knows no locks.
  public static func acquire(
    _ file: borrowing FileDescriptor, shared: Bool = false, until deadline: MonotonicInstant, onWait: () -> Void = {}
  ) throws(Failure) -> Bool {
    let sayAt = MonotonicInstant.now().advanced(bySeconds: 1)
    var hasSaidSo = false
    var pause: UInt32 = 1
    while flock(file.raw, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      guard clinux_errno() == EWOULDBLOCK || clinux_errno() == EINTR else { throw .system("lock a file") }
      let now = MonotonicInstant.now()
      guard now < deadline else { return false }
      if now >= sayAt, !hasSaidSo {
        hasSaidSo = true
        onWait()
      }
      // Nothing can wait for a flock with a deadline but a signal, which a library must not use. The pause grows and
      // varies, so that many waiters do not march in step.
      usleep(UInt32.random(in: 500...1_000) * pause)
      pause = min(pause * 2, 16)
    }
    return true
  }

  /// Lets go of the lock before the file is closed.
  public static func release(_ file: borrowing FileDescriptor) { flock(file.raw, LOCK_UN) }
}
