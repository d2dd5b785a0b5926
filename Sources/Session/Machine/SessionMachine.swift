public import Basics

/// The rules of a session as a pure state machine: events in, effects out, time given. It does no input or output and
/// holds no secret.
///
/// What it promises, and its tests check over every sequence of events:
/// - only ``SessionEffect/wipe`` can remove a database key or the device id, and only a logout that asks for it wipes;
/// - a rejected session leads to at most one refresh; network and server trouble never removes what gets a new session;
/// - after a logout nothing is stored until somebody signs in again; a late result is discarded;
/// - every state has a way to a usable session.
public struct SessionMachine: Hashable, Sendable {
  /// How many seconds before the end of a session its refresh is scheduled.
  public let skew: Int64
  /// Where the session stands.
  public internal(set) var state: SessionState = .signedOut
  /// The attempt of the sign-in that is under way; nil when there is none. It stands beside the state, so that a
  /// failed sign-in leaves the session that was there as it is.
  public internal(set) var signingIn: Int?
  private var attempts = 0

  /// A machine that has not read the vault yet.
  public init(skew: Int64 = 300) { self.skew = skew }

  /// Takes in what happened at a moment and says what has to be done, in order.
  public mutating func handle(_ event: SessionEvent, now: Timestamp) -> [SessionEffect] {
    switch event {
    case .loaded(let stored):
      state = rest(stored, now)
      return []
    case .loginRequested: return startLogin()
    case .loginSucceeded(let attempt):
      return signingIn == attempt ? [.commitSignIn(attempt: attempt)] : [.discard(attempt: attempt)]
    case .loginFailed(let attempt, let trouble): return failLogin(attempt, trouble)
    case .signInCommitted(let attempt, let signIn): return finishLogin(attempt, signIn, now)
    case .restoreRequested: return restore(now)
    case .refreshRequested: return refresh(now)
    case .refreshSucceeded(let attempt):
      guard let (signIn, _) = running(attempt) else { return [.discard(attempt: attempt)] }
      return [.commitRefresh(attempt: attempt, signInId: signIn.id)]
    case .refreshFailed(let attempt, let trouble): return failRefresh(attempt, trouble, now)
    case .refreshCommitted(let attempt, let signIn):
      return running(attempt) == nil ? [] : settle(.signIn(signIn), now)
    case .refreshOvertaken(let attempt, let stored):
      return running(attempt) == nil ? [] : settle(stored, now)
    case .changedElsewhere(let stored): return settle(stored, now)
    case .replicatorFailed(let code): return replicatorFailed(code, now)
    case .replicatorFailedBefore(let code):
      // It starts again with what is stored now, as a restore does.
      return code.meaning == .credentialRejected ? restore(now) : [.conclude(.unaffected(code))]
    case .logoutRequested(let wipe): return logOut(wipe: wipe)
    }
  }

  /// The number of a new attempt.
  mutating func nextAttempt() -> Int {
    attempts += 1
    return attempts
  }

  /// Where a session rests that holds what is stored.
  func rest(_ stored: StoredSession, _ now: Timestamp) -> SessionState {
    switch stored {
    case .none: .signedOut
    case .unusable(let reason): .signInNeeded(reason)
    case .signIn(let signIn):
      if signIn.isUsable(at: now) {
        .signedIn(signIn)
      } else if signIn.canRefresh {
        .offline(signIn)
      } else {
        .signInNeeded(.expired)
      }
    }
  }

  /// Comes to rest with what is stored, and concludes.
  mutating func settle(_ stored: StoredSession, _ now: Timestamp) -> [SessionEffect] {
    state = rest(stored, now)
    return settled(now)
  }

  /// What to do on coming to rest in the present state.
  func settled(_ now: Timestamp) -> [SessionEffect] {
    switch state {
    case .signedIn(let signIn): started(signIn, now) + [.conclude(.signedIn)]
    case .offline: [.conclude(.offline(nil))]
    case .signInNeeded(let reason): [.stopReplicator, .cancelScheduledRefresh, .conclude(.signInNeeded(reason))]
    case .signedOut: [.stopReplicator, .cancelScheduledRefresh, .conclude(.signedOut)]
    case .refreshing: []
    }
  }

  /// Starts what a usable session is for. A session that is shorter than the skew is refreshed after the restore
  /// margin, not at once: otherwise each refresh would ask for the next.
  private func started(_ signIn: SignIn, _ now: Timestamp) -> [SessionEffect] {
    if signIn.isLocal { return [] }
    guard let due = signIn.refreshAt(skew: skew) else { return [.startReplicator] }
    return [.startReplicator, .scheduleRefresh(at: max(due, now.advanced(by: SignIn.restoreMargin)))]
  }

  /// The refresh that runs as this attempt; nil when the attempt is late.
  func running(_ attempt: Int) -> (SignIn, RefreshCause)? {
    guard case .refreshing(let signIn, let cause, attempt) = state else { return nil }
    return (signIn, cause)
  }
}
