/// Where a session stands. A sign-in under way does not replace the state: see ``SessionMachine/signingIn``.
public enum SessionState: Hashable, Sendable {
  /// Nobody is signed in.
  case signedOut
  /// There is a session that can be used.
  case signedIn(SignIn)
  /// A new session is being fetched without asking anyone; `attempt` names the run.
  case refreshing(SignIn, RefreshCause, attempt: Int)
  /// There is no session to use now, but one can be had without asking anyone. Local work goes on.
  case offline(SignIn)
  /// Only a person can go on.
  case signInNeeded(SignInReason)

  /// The sign-in behind the state; nil when there is none that counts.
  public var signIn: SignIn? {
    switch self {
    case .signedIn(let signIn), .refreshing(let signIn, _, _), .offline(let signIn): signIn
    case .signedOut, .signInNeeded: nil
    }
  }
}

/// Why a refresh runs.
public enum RefreshCause: Hashable, Sendable {
  /// A person or the schedule asked for it.
  case asked
  /// The stored session has ended or is about to.
  case restore
  /// The gateway rejected the session.
  case rejectedSession
}

/// Why only a person can go on.
public enum SignInReason: String, Hashable, Sendable {
  /// The session has ended and there is nothing to get a new one with.
  case expired
  /// The server rejected what was stored.
  case rejected
  /// The strategy cannot go on without a person.
  case interactionNeeded
  /// The settings name another place than the one the credentials are for.
  case settingsChanged
  /// What is stored cannot be read as a session.
  case damaged
}

/// Why a run of a strategy did not lead to a session.
public enum Trouble: String, Hashable, Sendable, CaseIterable {
  /// The server rejected the credentials.
  case credentialsRejected
  /// Only a person can go on.
  case interactionNeeded
  /// The server could not be reached.
  case unreachable
  /// The server answered with trouble of its own, or in a way that cannot be read.
  case server
  /// The server refused for good: configuration, trust, redirect.
  case refused
  /// A setting is missing or cannot be used.
  case settings
  /// A person or a signal stopped it.
  case cancelled
  /// The plugin may not run, or was denied a call.
  case pluginRefused
  /// The plugin failed.
  case pluginFailed
}
