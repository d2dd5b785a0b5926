internal import Basics
internal import Glibc

/// The signals that end the server, and SIGHUP, by which it reads its certificate again, taken by the main thread. They are blocked everywhere, so none interrupts anything.
struct StopSignals {
  private var set = sigset_t()

  init() {
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    // A file that may not grow further is answered as a full disk is, and does not end the server.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Has this process told to stop when its standard input ends. Throws when there is no room for a thread.
  static func sendWhenInputCloses() throws(Failure) {
    try Thread {
      var byte: UInt8 = 0
      while true {
        let count = unsafe read(0, &byte, 1)
        if count == 0 || count < 0 && errno != EINTR { break }
      }
      kill(getpid(), SIGTERM)
    }.detach()
  }

  /// Waits for one of them.
  func wait() -> Int32 {
    var set = set
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    return number
  }
}
