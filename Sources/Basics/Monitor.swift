internal import Glibc

/// State that threads share: a lock around it, and a way to wait until it has changed.
@safe public final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  /// The state to begin with.
  public init(_ state: State) {
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
  public enum Wake {
    /// No thread: nothing was changed that any of them waits for.
    case nobody
    /// One of those that wait, whichever: what was changed is of use to one alone.
    case one
    /// Each of those that wait.
    case all
  }

  /// Looks at the state and changes it, alone.
  public func withLock<R>(wake: Wake = .all, _ body: (inout State) -> R) -> R {
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

  /// Looks at the state and changes it, alone; what was found there says who looks again.
  public func update<R>(_ body: (inout State) -> (result: R, wake: Wake)) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    let (result, wake) = body(&state)
    switch wake {
    case .nobody: break
    case .one: unsafe pthread_cond_signal(changed)
    case .all: unsafe pthread_cond_broadcast(changed)
    }
    return result
  }

  /// Looks at the state, alone, until `body` returns something; between two looks it waits for a change.
  public func wait<R>(_ body: (inout State) -> R?) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      unsafe pthread_cond_wait(changed, mutex)
    }
  }

  /// The same until `deadline`; nil when it passes first.
  public func wait<R>(until deadline: MonotonicInstant, _ body: (inout State) -> R?) -> R? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      guard MonotonicInstant.now() < deadline else { return nil }
      var time = deadline.timespec
      unsafe pthread_cond_timedwait(changed, mutex, &time)
    }
  }
}
