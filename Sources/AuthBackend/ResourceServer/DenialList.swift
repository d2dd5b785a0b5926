public import Basics
public import JOSE

/// Which access tokens are denied before they are over: by `jti` one, by `sid` all of a family. It is read from the
/// authorization server's store, or over the network by what it is given, and read again when it is older than a few seconds.
///
/// No token is taken by a list that is older than `staleSeconds`, counted from when its reading began: a source that fails, hangs or
/// is slow makes the answer 503, and never a revoked token good.
public final class DenialList: Sendable {
  private let fetch: @Sendable (Timestamp) throws(Failure) -> [String: Timestamp]
  private let freshSeconds: Int64
  private let staleSeconds: Int64
  private let waitSeconds: Int64
  private let state = Monitor(State())

  private struct State {
    var denied: [String: Timestamp] = [:]
    var readAt: Timestamp?
    // Why the last reading failed, and when that was known; nil when it did not.
    var lastFailure: Failure?
    var failedAt: Timestamp?
    // Since when a thread reads; nil when none does.
    var readingSince: MonotonicInstant?
  }

  private enum Step {
    case use([String: Timestamp])
    case read, refuse
  }

  /// A list. `fetch` gets the ids that are denied at a moment, each with when that ends; it is called at most every `freshSeconds`
  /// seconds, also while it fails, with 0 for each token, by one thread at a time. When it fails, and for other threads while it is at work, the last list
  /// counts for up to `staleSeconds`; after that no token is taken. Who has to wait for another thread's reading gives up when it has
  /// taken `waitSeconds`, so that a source that hangs holds up one thread and no more.
  public init(
    freshSeconds: Int64 = 5, staleSeconds: Int64 = 60, waitSeconds: Int64 = 5,
    fetch: @escaping @Sendable (_ now: Timestamp) throws(Failure) -> [String: Timestamp]
  ) {
    self.fetch = fetch
    self.freshSeconds = max(0, freshSeconds)
    self.staleSeconds = max(freshSeconds, staleSeconds)
    self.waitSeconds = max(0, waitSeconds)
  }

  /// Refuses a token that is denied. Throws ``JOSE/TokenRefusal/Reason/denied``, or
  /// ``JOSE/TokenRefusal/Reason/denialsUnavailable`` when it cannot be told.
  public func check(_ token: AccessToken, now: Timestamp) throws(TokenRefusal) {
    let ids = [token.id, token.claims["sid"]?.string].compactMap { $0 }
    let known = try denied(now)
    guard ids.contains(where: { known[$0].map { now < $0 } ?? false }) else { return }
    throw TokenRefusal(.denied, "the token was revoked", hint: "sign in again")
  }

  private func denied(_ now: Timestamp) throws(TokenRefusal) -> [String: Timestamp] {
    switch step(now) {
    case .use(let denied): return denied
    case .refuse: throw unavailable
    case .read: break
    }
    let start = MonotonicInstant.now()
    let result = Result { () throws(Failure) in try fetch(now) }
    let end = start.advanced(bySeconds: Double(staleSeconds))
    // What it read may be as old as the reading is long.
    let over = MonotonicInstant.now(), isOverdue = over > end
    let usable = state.withLock { state -> [String: Timestamp]? in
      state.readingSince = nil
      switch result {
      case .success(let denied):
        (state.denied, state.readAt) = (denied, now)
        (state.lastFailure, state.failedAt) = (nil, nil)
      case .failure(let failure):
        // From its end on: one that took long to fail is not tried again at once.
        let seconds = over.milliseconds(since: start) / 1_000
        (state.lastFailure, state.failedAt) = (failure, now.advanced(by: Int64(seconds)))
      }
      return !isOverdue && isYoung(state.readAt, now, staleSeconds) ? state.denied : nil
    }
    guard let usable else { throw unavailable }
    return usable
  }

  // What a thread does about the list; it may wait for another one's reading.
  private func step(_ now: Timestamp) -> Step {
    var hasWaited = false
    let last = MonotonicInstant.now().advanced(bySeconds: Double(waitSeconds))
    var end = last
    // Within a look that is over, nil is that another reading began than the last that was waited for.
    let look = { [self] (state: inout State) -> Step?? in
      // At 0 it is read each time: times are whole seconds, and a denial counts within the second that it was made in.
      let isShared = freshSeconds > 0
      if isShared, isYoung(state.readAt, now, freshSeconds) { return .use(state.denied) }
      guard let since = state.readingSince else {
        // It failed a moment ago, perhaps for the one that this one has waited for: to try once more for each token would hold up
        // all of them in turn, and press a source that says no because it is asked too often.
        guard !isShared || !hasWaited && !isYoung(state.failedAt, now, freshSeconds) else {
          return isYoung(state.readAt, now, staleSeconds) ? .use(state.denied) : .refuse
        }
        state.readingSince = .now()
        return .read
      }
      if isShared, isYoung(state.readAt, now, staleSeconds) { return .use(state.denied) }
      hasWaited = true
      let over = min(last, since.advanced(bySeconds: Double(waitSeconds)))
      if over <= .now() { return .refuse }
      if over == end { return nil }
      end = over
      return .some(nil)
    }
    while let seen = state.wait(until: end, look) {
      if let step = seen { return step }
    }
    return .refuse
  }

  // Says why the last reading failed: a wrong secret is mended by nobody who is not told of it.
  private var unavailable: TokenRefusal {
    let failure = state.withLock(wake: .nobody) { $0.lastFailure }
    return TokenRefusal(
      .denialsUnavailable,
      "it cannot be told whether the token was revoked" + (failure.map { ": \($0.message)" } ?? ""),
      hint: failure?.hint ?? "try again in a moment")
  }

  private func isYoung(_ readAt: Timestamp?, _ now: Timestamp, _ seconds: Int64) -> Bool {
    guard let readAt else { return false }
    return now.advanced(by: -seconds) <= readAt && readAt <= now.advanced(by: seconds)
  }
}

extension TokenRefusal.Reason {
  /// It, or all of its family, was revoked before its time.
  public static let denied = Self("denied")
  /// It cannot be told whether it was revoked.
  public static let denialsUnavailable = Self("denials-unavailable")
}
