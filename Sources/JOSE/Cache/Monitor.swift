internal import Glibc

/// State that threads share: a lock around it, and a way to wait until another thread has changed it.
@safe final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Looks at the state, alone, until `body` returns something; between two looks it waits for a change.
  func wait<R>(_ body: (inout State) -> R?) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      unsafe pthread_cond_wait(changed, mutex)
    }
  }

  /// Changes the state, alone, and wakes those who wait.
  func change(_ body: (inout State) -> Void) {
    unsafe pthread_mutex_lock(mutex)
    body(&state)
    unsafe pthread_cond_broadcast(changed)
    unsafe pthread_mutex_unlock(mutex)
  }
}
