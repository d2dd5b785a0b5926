internal import Glibc

/// State that threads share: a lock around it, and a way to wait until it has changed.
@safe final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    // Deadlines are on the monotonic clock, so that setting the wall clock ends no wait.
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(changed, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Who looks again after a change.
  enum Wake {
    case nobody, one, all
  }

  /// Looks at the state and changes it, alone.
  func withLock<R>(wake: Wake = .all, _ body: (inout State) -> R) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer {
      switch wake {
      case .nobody: break
      case .one: unsafe pthread_cond_signal(changed)
      case .all: unsafe pthread_cond_broadcast(changed)
      }
      unsafe pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until `body` returns something, looking again after every change; nil when `deadline` passes first.
  func wait<R>(until deadline: Instant? = nil, _ body: (inout State) -> R?) -> R? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      if let deadline {
        guard Instant.now() < deadline else { return nil }
        var time = deadline.timespec
        unsafe pthread_cond_timedwait(changed, mutex, &time)
      } else {
        unsafe pthread_cond_wait(changed, mutex)
      }
    }
  }
}

/// A moment on the monotonic clock.
struct Instant: Comparable, Sendable {
  /// Nanoseconds since some moment before the process began.
  let nanoseconds: Int64

  static func now() -> Instant {
    var time = Glibc.timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The moment that many seconds later, held at the end of the range.
  func advanced(bySeconds seconds: Double) -> Instant {
    // Far below the range of Int64, so that no sum overflows.
    let added = Int64(min(max(seconds, 0), 1e9) * 1e9)
    let (sum, overflow) = nanoseconds.addingReportingOverflow(added)
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  var timespec: Glibc.timespec {
    Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
}
