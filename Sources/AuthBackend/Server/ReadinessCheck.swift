internal import Basics

/// Whether the server is ready, looked at once in a second however many ask: each look is a write, and anybody may ask.
///
/// A look that takes longer than `patience`, as on a disk that hangs, is no good news: the server is not ready until it is over.
final class ReadinessCheck: Sendable {
  private struct State {
    // What was found last, and until when it counts; nil before the first look.
    var last: (isReady: Bool, until: MonotonicInstant)?
    // Since when a thread looks; nil when none does.
    var lookingSince: MonotonicInstant?
  }

  private enum Step {
    case use(Bool)
    case look
  }

  private let patience: Double
  private let clock: @Sendable () -> MonotonicInstant
  private let state = Monitor(State())

  /// `patience` is in seconds.
  init(patience: Double = 5, clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicInstant.now() }) {
    self.patience = patience
    self.clock = clock
  }

  /// Whether it is. `look` throws what is wrong, and is called by one thread at a time. While it is at work the others are told what was found
  /// last; the first of all wait.
  func isReady(_ look: () throws(Failure) -> Void) -> Bool {
    let step = state.wait(until: .now().advanced(bySeconds: patience)) { state -> Step? in
      let now = clock()
      guard let since = state.lookingSince else {
        if let last = state.last, now < last.until { return .use(last.isReady) }
        state.lookingSince = now
        return .look
      }
      guard now < since.advanced(bySeconds: patience) else { return .use(false) }
      return state.last.map { .use($0.isReady) }
    }
    guard case .look = step else {
      if case .use(let isReady) = step { return isReady }
      return false
    }
    let isReady: Bool
    do throws(Failure) {
      try look()
      isReady = true
    } catch { isReady = false }
    state.withLock { state in
      state.last = (isReady, clock().advanced(bySeconds: 1))
      state.lookingSince = nil
    }
    return isReady
  }
}
