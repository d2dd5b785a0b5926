internal import Basics

/// Whether the server is ready, looked at once in a second however many ask: each look is a write, and anybody may ask.
final class ReadinessCheck: Sendable {
  private struct State {
    // What was found last, and until when it counts; nil before the first look.
    var last: (fault: Failure?, until: MonotonicInstant)?
    var isLooking = false
  }

  private enum Step {
    case use(Failure?)
    case look
  }

  private let state = Monitor(State())

  /// What is wrong; nil when it is ready. `look` is called by one thread at a time. While it is at work the others are told what was found
  /// last; the first of all wait.
  func fault(_ look: () throws(Failure) -> Void) -> Failure? {
    let step = state.wait { state -> Step? in
      if let last = state.last, state.isLooking || MonotonicInstant.now() < last.until { return .use(last.fault) }
      guard !state.isLooking else { return nil }
      state.isLooking = true
      return .look
    }
    if case .use(let fault) = step { return fault }
    var found: Failure?
    do throws(Failure) { try look() } catch { found = error }
    let fault = found
    state.withLock { state in
      state.last = (fault, MonotonicInstant.now().advanced(bySeconds: 1))
      state.isLooking = false
    }
    return fault
  }
}
