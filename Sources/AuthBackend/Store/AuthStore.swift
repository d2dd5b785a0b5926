public import Basics

/// Where the backend keeps its state.
///
/// Each call is one step: it happens whole or not at all, it is durable when it returns, and calls from any number of threads and
/// processes take effect one after the other. Calls wait; none of them is to be made on a thread that must not. All of them
/// throw ``FailureCode/inputOutput`` when the store cannot be read or written (then nothing was changed) and
/// ``FailureCode/lockTimeout`` when another process held it for too long.
public protocol AuthStore: KeyStore {
  // MARK: Families

  /// Spends an authorization code and begins the family that it stands for.
  func redeem(_ redemption: Redemption) throws(Failure) -> RedemptionOutcome
  /// Begins a family without a code: a device code or a native sign-in that was checked before. False, and nothing is begun,
  /// when the user is disabled or gone.
  func begin(_ family: Family) throws(Failure) -> Bool
  /// Makes the successor the family's live token, or says why not; see ``RotationOutcome``.
  func rotate(_ rotation: Rotation) throws(Failure) -> RotationOutcome
  /// The family that a token of its kind names, if the token is or was one of its tokens.
  func family(handle: [UInt8], presented: [KeyedHash]) throws(Failure) -> Family?
  /// The family with this `sid`.
  func family(id: String) throws(Failure) -> Family?
  /// Families of a user, of a device, or all, that have not ended, newest first, at most `limit`.
  func liveFamilies(user: String?, device: String?, now: Timestamp, limit: Int) throws(Failure) -> [Family]
  /// Ends families and, where `denyUntil` is given, denies their access tokens until then. Returns those that had not ended.
  func end(_ which: FamilySelection, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?) throws(Failure)
    -> [Family]

  // MARK: Codes and browser sessions

  /// Keeps a code that was issued.
  func add(_ code: AuthorizationCode) throws(Failure)
  /// Keeps a browser's session.
  func add(_ session: BrowserSession) throws(Failure)
  /// The session with one of these hashes, unless it is over or its user is disabled.
  func browserSession(presented: [KeyedHash], now: Timestamp) throws(Failure) -> BrowserSession?
  /// Ends a browser's session, or every one of a user.
  func endBrowserSessions(id: String?, user: String?) throws(Failure)

  // MARK: Urgent revocation

  /// Denies one access token (`jti`) or all of a family (`sid`) until a moment.
  func deny(_ id: String, until: Timestamp) throws(Failure)
  /// Every id that is denied at a moment.
  func denied(now: Timestamp) throws(Failure) -> [String: Timestamp]

  // MARK: Registry

  /// The client with this `client_id`.
  func client(_ id: String) throws(Failure) -> Client?
  /// All clients by id.
  func clients() throws(Failure) -> [Client]
  /// Adds a client or replaces it.
  func put(_ client: Client) throws(Failure)
  /// Removes a client; its families end. False when there is none.
  func removeClient(_ id: String, now: Timestamp) throws(Failure) -> Bool
  /// The user with this `sub`.
  func user(id: String) throws(Failure) -> User?
  /// The user with this name.
  func user(named name: String) throws(Failure) -> User?
  /// All users by name.
  func users() throws(Failure) -> [User]
  /// Adds a user. Throws ``FailureCode/exists`` when the name or the id is taken.
  func add(_ user: User) throws(Failure)
  /// Changes a user; with `ending`, its families and browser sessions end in the same step, and their access tokens are denied until
  /// `denyUntil`. Returns the families. Throws ``FailureCode/notFound``.
  func change(_ user: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?) throws(Failure) -> [Family]
  /// Scopes that a user has consented to for a client.
  func consent(user: String, client: String) throws(Failure) -> [String]
  /// Adds scopes to a consent.
  func addConsent(user: String, client: String, scopes: [String]) throws(Failure)

  // MARK: Housekeeping

  /// Appends to the audit log: `event` and its fields, in order, none of them secret. Returns the record's number.
  func audit(_ event: String, _ fields: [(name: String, value: String)], at: Timestamp) throws(Failure) -> Int64
  /// Removes what no longer matters at a moment: codes, sessions and denials that are over, families `keepSeconds` after their end.
  func prune(now: Timestamp, keepSeconds: Int64) throws(Failure)
  /// Whether it can be written, for a readiness check.
  func probe() throws(Failure)
}

/// Which families are meant.
public enum FamilySelection: Sendable {
  /// The one with this `sid`.
  case id(String)
  /// Every one of a user.
  case user(String)
  /// Every one of a user's device.
  case device(user: String, device: String)
  /// Every one there is: after a backup was restored.
  case all
}
