public import Basics

/// What has to be done, in order. The machine only decides; whoever drives it does these.
public enum SessionEffect: Hashable, Sendable {
  /// Run the strategy to sign in; report with that attempt.
  case runLogin(attempt: Int)
  /// Run the strategy to refresh this sign-in; report with that attempt.
  case runRefresh(attempt: Int, signIn: SignIn)
  /// Store the session that this attempt brought as a new sign-in, in one commit.
  case commitSignIn(attempt: Int)
  /// Store the session that this attempt brought, unless the stored sign-in is another one by now.
  case commitRefresh(attempt: Int, signInId: String)
  /// Forget what a late attempt brought, and tell the server so.
  case discard(attempt: Int)
  /// Remove the rejected session of this sign-in; keep what gets a new one.
  case dropSession(signInId: String)
  /// Remove the credentials of this sign-in: session, tokens and password. The identifier stays.
  case clearCredentials(signInId: String)
  /// Remove everything that begins with `auth.`, in one commit.
  case removeCredentials
  /// Remove every secret of the profile.
  case wipe
  /// Tell the server that the session has ended, with what was read before it was removed.
  case tellServer
  /// Stop the replicator: what it presents is no longer good.
  case stopReplicator
  /// Start the replicator with the stored credential.
  case startReplicator
  /// Ask for a refresh at that moment.
  case scheduleRefresh(at: Timestamp)
  /// Ask for no refresh any more.
  case cancelScheduledRefresh
  /// Report how what was asked for ended. Always the last effect of its list.
  case conclude(Conclusion)

  /// Whether it writes credentials to the vault.
  public var storesCredentials: Bool {
    switch self {
    case .commitSignIn, .commitRefresh: true
    default: false
    }
  }
}

/// How what was asked for ended.
public enum Conclusion: Hashable, Sendable {
  /// There is a session to use.
  case signedIn
  /// Nobody is signed in.
  case signedOut
  /// There is no session to use now, and this is why there is no new one.
  case offline(Trouble?)
  /// Only a person can go on.
  case signInNeeded(SignInReason)
  /// The sign-in failed; what was there before is untouched.
  case loginFailed(Trouble)
  /// The refresh failed; the session is kept and can still be used.
  case refreshFailed(Trouble)
  /// The replicator's error says nothing about the credentials; nothing was changed.
  case unaffected(ReplicatorCode)
}
