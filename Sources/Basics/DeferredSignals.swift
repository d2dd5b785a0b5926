internal import CLinux
internal import Glibc

/// Holding back the signals that would stop or pause the process, for the time of a commit.
public enum DeferredSignals {
  /// Runs `body`; signals that come meanwhile take effect after it. The size limit's signal is ignored, so that the
  /// call that meets the limit reports it instead.
  public static func during<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    var previous = sigset_t()
    var held = sigset_t()
    unsafe sigfillset(&held)
    // A fault of our own must not be held back; nor the size limit's, which Linux keeps for later when it is both blocked
    // and ignored.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXFSZ] {
      unsafe sigdelset(&held, signal)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &held, &previous)
    let sizeLimitHandler = signal(SIGXFSZ, SIG_IGN)
    defer {
      signal(SIGXFSZ, sizeLimitHandler)
      unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
    return try body()
  }
}
