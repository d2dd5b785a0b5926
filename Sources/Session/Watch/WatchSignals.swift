public import Basics
internal import CLinux
internal import Glibc

/// The signals that end a watch, held back and read from descriptors: the one that a person sends, at which a refresh under
/// way is cut short, and those at which it may come to its end.
public final class WatchSignals {
  private let interrupt: FileDescriptor
  private let terminate: FileDescriptor
  private var before = sigset_t()

  /// Can be read once SIGINT has come.
  public var interruption: Int32 { interrupt.raw }
  /// Can be read once SIGTERM or SIGHUP has come.
  public var termination: Int32 { terminate.raw }

  /// Holds them back from now on; one that is ignored stays so. Throws ``FailureCode/inputOutput``.
  public init() throws(Failure) {
    var first = sigset_t(), second = sigset_t(), all = sigset_t()
    unsafe sigemptyset(&first)
    unsafe sigemptyset(&second)
    unsafe sigemptyset(&all)
    for number in [SIGINT, SIGTERM, SIGHUP] where clinux_is_ignored(number) == 0 {
      unsafe sigaddset(&all, number)
      if number == SIGINT { unsafe sigaddset(&first, number) } else { unsafe sigaddset(&second, number) }
    }
    let numbers = unsafe (clinux_signalfd(&first), clinux_signalfd(&second))
    interrupt = FileDescriptor(owning: numbers.0)
    terminate = FileDescriptor(owning: numbers.1)
    guard numbers.0 >= 0, numbers.1 >= 0 else { throw .system("watch for signals") }
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    // Who started us may have wished not to hear of children; then none could be waited for.
    signal(SIGCHLD, SIG_DFL)
  }

  deinit {
    // What has come is taken, and does not act once more.
    for number in [interrupt.raw, terminate.raw] {
      var record = [UInt8](repeating: 0, count: 128)
      while unsafe read(number, &record, record.count) > 0 {}
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
