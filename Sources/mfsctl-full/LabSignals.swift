internal import Glibc
internal import Synchronization

/// The number of this process.
func currentProcess() -> Int32 { getpid() }

// Set by the handler below; made before it is installed.
private let received = Atomic<Int32>(0)

/// The signals that end or change a running lab, taken one after the other by the main thread. They are blocked in
/// between, so none is lost and none interrupts anything.
struct LabSignals {
  enum Event {
    case interrupted, terminated, hangUp, inputClosed
  }

  private var waiting = sigset_t()

  init() {
    received.store(0, ordering: .relaxed)
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&blocked, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &waiting)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // While we wait, they are not blocked, whatever the program that started us had blocked.
      unsafe sigdelset(&waiting, number)
      signal(number) { received.store($0, ordering: .relaxed) }
    }
  }

  /// Waits for the next event. Standard input counts only when that is asked for; what it holds is read and dropped.
  func next(untilInputCloses: Bool) -> Event {
    var mask = waiting
    while true {
      var readable = fd_set()
      // Descriptor 0 is the lowest bit.
      if untilInputCloses { readable.__fds_bits.0 = 1 }
      let ready = unsafe pselect(1, &readable, nil, nil, nil, &mask)
      // A closed stdin cannot be waited for.
      let isClosed = ready < 0 && errno == EBADF
      // Input that never ends must not keep signals from being taken: when it is ready, none is delivered above.
      var none = timespec()
      if ready > 0 { unsafe pselect(0, nil, nil, nil, &none, &mask) }
      switch received.exchange(0, ordering: .relaxed) {
      case SIGINT: return .interrupted
      case SIGTERM: return .terminated
      case SIGHUP: return .hangUp
      default: if isClosed || (ready > 0 && inputIsAtEnd()) { return .inputClosed }
      }
    }
  }

  private func inputIsAtEnd() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    return unsafe read(0, &bytes, bytes.count) <= 0
  }
}
