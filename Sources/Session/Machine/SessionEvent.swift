/// What happens to a session.
public enum SessionEvent: Hashable, Sendable {
  /// The vault was read.
  case loaded(StoredSession)
  /// A person asks to sign in.
  case loginRequested
  /// A run for a sign-in brought a session, which is not stored yet.
  case loginSucceeded(attempt: Int)
  /// A run for a sign-in failed.
  case loginFailed(attempt: Int, Trouble)
  /// A new sign-in is stored.
  case signInCommitted(attempt: Int, SignIn)
  /// The app starts, or comes back, and wants to go on with what is stored.
  case restoreRequested
  /// A person or the schedule asks for a new session.
  case refreshRequested
  /// A run for a refresh brought a session, which is not stored yet.
  case refreshSucceeded(attempt: Int)
  /// A run for a refresh failed.
  case refreshFailed(attempt: Int, Trouble)
  /// A refreshed session is stored.
  case refreshCommitted(attempt: Int, SignIn)
  /// Somebody else refreshed, signed in or signed out before this refresh could run or be stored.
  case refreshOvertaken(attempt: Int, StoredSession)
  /// Somebody else signed in or out while this session was being changed: the change was not made.
  case changedElsewhere(StoredSession)
  /// The replicator reports an error.
  case replicatorFailed(ReplicatorCode)
  /// The replicator reports an error that it got with a session before the stored one.
  case replicatorFailedBefore(ReplicatorCode)
  /// A person asks to sign out; `wipe` removes every secret of the profile.
  case logoutRequested(wipe: Bool)
}
