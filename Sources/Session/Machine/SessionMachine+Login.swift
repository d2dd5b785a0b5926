internal import Basics

extension SessionMachine {
  /// A second request replaces the first, whose result will be late.
  mutating func startLogin() -> [SessionEffect] {
    let attempt = nextAttempt()
    signingIn = attempt
    return [.runLogin(attempt: attempt)]
  }

  mutating func failLogin(_ attempt: Int, _ trouble: Trouble) -> [SessionEffect] {
    guard signingIn == attempt else { return [] }
    signingIn = nil
    return [.conclude(.loginFailed(trouble))]
  }

  /// A refresh of the sign-in before this one is late from here on.
  mutating func finishLogin(_ attempt: Int, _ signIn: SignIn, _ now: Timestamp) -> [SessionEffect] {
    guard signingIn == attempt else { return [] }
    signingIn = nil
    // A session shorter than the restore margin is a sign-in none the less.
    return [.stopReplicator] + settle(.signIn(signIn), now).dropLast() + [.conclude(.signedIn)]
  }

  /// Local first: what is removed here is gone whatever the server says, and whatever is still under way is late.
  mutating func logOut(wipe: Bool) -> [SessionEffect] {
    signingIn = nil
    state = .signedOut
    return [
      .stopReplicator, .cancelScheduledRefresh, wipe ? .wipe : .removeCredentials, .tellServer, .conclude(.signedOut),
    ]
  }
}
