internal import Basics

extension SessionMachine {
  mutating func restore(_ now: Timestamp) -> [SessionEffect] {
    switch state {
    case .signedIn(let signIn), .offline(let signIn):
      guard !signIn.isUsable(at: now), signIn.canRefresh else { return settle(.signIn(signIn), now) }
      return startRefresh(signIn, .restore)
    case .refreshing: return []
    case .signedOut, .signInNeeded: return settled(now)
    }
  }

  mutating func refresh(_ now: Timestamp) -> [SessionEffect] {
    switch state {
    case .signedIn(let signIn), .offline(let signIn):
      if signIn.isLocal { return settle(.signIn(signIn), now) }
      if signIn.canRefresh { return startRefresh(signIn, .asked) }
      // The session may still be good for a while; only the wish cannot be met.
      state = rest(.signIn(signIn), now)
      return [.conclude(.signInNeeded(.interactionNeeded))]
    case .refreshing: return []
    case .signedOut, .signInNeeded: return settled(now)
    }
  }

  private mutating func startRefresh(_ signIn: SignIn, _ cause: RefreshCause) -> [SessionEffect] {
    let attempt = nextAttempt()
    state = .refreshing(signIn, cause, attempt: attempt)
    return [.runRefresh(attempt: attempt, signIn: signIn)]
  }

  /// The gateway no longer accepts the session, as far as the replicator knows: stop, and one refresh. A refresh that
  /// is under way already is that one.
  mutating func replicatorFailed(_ code: ReplicatorCode, _ now: Timestamp) -> [SessionEffect] {
    guard code.meaning == .credentialRejected else { return [.conclude(.unaffected(code))] }
    switch state {
    case .signedIn(let signIn), .offline(let signIn):
      if signIn.isLocal { return [.conclude(.unaffected(code))] }
      let stop: [SessionEffect] = [.stopReplicator, .cancelScheduledRefresh]
      if signIn.canRefresh { return stop + startRefresh(signIn, .rejectedSession) }
      state = .signInNeeded(.rejected)
      return stop + [.clearCredentials(signInId: signIn.id), .conclude(.signInNeeded(.rejected))]
    case .refreshing(let signIn, _, let attempt):
      state = .refreshing(signIn, .rejectedSession, attempt: attempt)
      return [.stopReplicator]
    case .signedOut, .signInNeeded: return settled(now)
    }
  }

  mutating func failRefresh(_ attempt: Int, _ trouble: Trouble, _ now: Timestamp) -> [SessionEffect] {
    guard let (signIn, cause) = running(attempt) else { return [] }
    switch (trouble, cause) {
    case (.credentialsRejected, _), (.interactionNeeded, .rejectedSession):
      state = .signInNeeded(.rejected)
      return [
        .stopReplicator, .cancelScheduledRefresh, .clearCredentials(signInId: signIn.id),
        .conclude(.signInNeeded(.rejected)),
      ]
    case (_, .rejectedSession):
      // Nobody said that the password or the tokens are bad, so they stay for the next try.
      state = .offline(signIn.withoutSession)
      return [.dropSession(signInId: signIn.id), .conclude(.offline(trouble))]
    case (.interactionNeeded, _):
      state = signIn.isUsable(at: now) ? .signedIn(signIn) : .signInNeeded(.interactionNeeded)
      return [.conclude(.signInNeeded(.interactionNeeded))]
    default:
      state = rest(.signIn(signIn), now)
      return [.conclude(signIn.isUsable(at: now) ? .refreshFailed(trouble) : .offline(trouble))]
    }
  }
}
