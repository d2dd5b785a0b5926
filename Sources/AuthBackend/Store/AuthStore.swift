public import Basics

/// Where the backend keeps its state.
///
/// Each call is one step: it happens whole or not at all, it is durable when it returns, and calls from any number of threads and
/// processes take effect one after the other; only ``prune(now:keepSeconds:isCancelled:)`` works in several steps. Calls wait; none of them
/// is to be made on a thread that must not. All of them throw ``FailureCode/inputOutput`` when the store cannot be read or
/// written (then nothing was changed, but see docs/BACKEND-STORE.md on a disk that fails to sync), ``FailureCode/lockTimeout``
/// when another process held it for too long and ``FailureCode/exists`` where an id or a hash of something new is taken.
///
/// Where a step is told to audit its outcome and the log cannot be written, nothing is changed.
///
/// Texts are compared byte for byte. Times are compared as they are given: the store has no clock.
public protocol AuthStore: KeyStore {
  // MARK: Families

  /// Spends an authorization code and begins the family that it stands for. The checks come in this order, and the first that
  /// fails is the answer: there is such a code; it was not presented before (else the family it began ends); its client; its
  /// redirect URI; its challenge; its time; its device; its user and browser session. Wherever a family begins, two checks come last: what
  /// an attestation showed of the device (`unattested`: the credential is spent, and a device that is there keeps the refusal as its verdict);
  /// whether the device may be given tokens now (`held`, which changes nothing; see ``Admission``).
  func redeem(_ redemption: Redemption) throws(Failure) -> RedemptionOutcome
  /// Begins a family without a code: a native sign-in that was checked before. `proof` is what shows it, which is good once, also past
  /// its time until it is pruned. Like every family that begins, it keeps in the same step that its device was seen, how it is described and
  /// what an attestation showed of it: a user's device is there from its first family on.
  func begin(
    _ family: Family, on description: DeviceDescription, spending proof: SpentOnce?, admission: Admission?,
    audit: Auditing<BeginOutcome>?
  ) throws(Failure) -> BeginOutcome
  /// Makes the successor the family's live token, or says why not; see ``RotationOutcome``. The checks come in this order, and the
  /// first that fails is the answer:
  /// 1. a family has this handle (`unknown`);
  /// 2. it is this client's (`client`: nothing is changed, nothing is counted, so a stranger cannot harm the owner);
  /// 3. it has not ended (`ended`; a spent token of one that its client or its user ended, with tokens of the family, is a
  ///    `replay` that changes nothing; of one that ended otherwise it is `ended` too);
  /// 4. the token was not spent before (`replay`: the family ends), but for the direct predecessor of the live token within the
  ///    grace, in a family with a device, from that device, and while something is sealed for it: it goes on to 6, and is `repeated`;
  /// 5. it is the live token (`unknown`, and counted as a failure, with `failures` and the family's end at the limit), and comes with an
  ///    attestation that showed something, where one is required (`unattested`);
  /// 6. the family is not past its end, `now >= expiresAt`, or idle for too long, `now >= usedAt + idleSeconds` (`expired`);
  /// 7. the device, where the family has one (`device`: counted as a failure, or the family ends if the client wants that);
  /// 8. the user is there and not disabled (`user`);
  /// 9. no scope beyond what was granted is asked for (`scope`: nothing is changed);
  /// 10. what an attestation showed is the device's, where that is required (`unattested`: nothing is changed but, as at 5, the verdict
  ///    of the device). A spent token that it is not so for is a `replay` at 4.
  /// 11. the device may be given tokens now (`held`: nothing is changed).
  func rotate(_ rotation: Rotation) throws(Failure) -> RotationOutcome
  /// The same for a thread that must not wait for others: `whenDone` is called once, before this returns or later, perhaps on a thread
  /// of the store's, which it must not hold up. `isAlone` says that the caller has nothing else to do meanwhile, so that the step may
  /// be done by itself where that is quicker: then the disk is waited for, and still no other process.
  func rotate(
    _ rotation: Rotation, isAlone: Bool, whenDone: @escaping @Sendable (Result<RotationOutcome, Failure>) -> Void)
  /// The family that a token of its kind names, if the token is or was one of its tokens.
  func family(handle: [UInt8], presented: [KeyedHash]) throws(Failure) -> Family?
  /// The family with this `sid`.
  func family(id: String) throws(Failure) -> Family?
  /// Families of a user, of a device, or all, that have not ended and are not past their lifetimes, newest first, at most `limit`.
  func liveFamilies(user: String?, device: String?, now: Timestamp, limit: Int) throws(Failure) -> [Family]
  /// Ends families and, where `denyUntil` is given, denies their access tokens until then. Returns those that had not ended. What was
  /// granted to the same user, or for the same device, and not redeemed yet ends with them: an authorization code is unknown, an
  /// approved device code refused. So it is with whatever else here ends a user's, a device's, a client's or all families.
  func end(
    _ which: FamilySelection, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family]
  /// Ends at most `limit` of families of which there may be any number, and returns those: none when none is left that had not ended. A
  /// step for each so many, so that neither what is held in memory nor how long others wait grows with their number; see
  /// ``endAll(_:_:now:denyUntil:batch:_:audit:)``.
  func endSome(
    _ which: ManyFamilies, limit: Int, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?,
    audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family]

  // MARK: Codes and browser sessions

  /// Keeps a code that was issued.
  func add(_ code: AuthorizationCode) throws(Failure)
  /// Keeps a code whose user has agreed to it just now, and in the same step that its scopes are consented to for its client. False, and
  /// nothing is kept, when the browser's session that it is issued in is over.
  func addConsented(_ code: AuthorizationCode, now: Timestamp) throws(Failure) -> Bool
  /// Keeps a browser's session of a user who is not disabled and whose password is still the one that was checked, by its hash; nil for
  /// who has none. False, and nothing is kept, otherwise: to check a password takes a while.
  func add(_ session: BrowserSession, ifPasswordIs hash: String?) throws(Failure) -> Bool
  /// The session with one of these hashes, unless it is over or its user is disabled.
  func browserSession(presented: [KeyedHash], now: Timestamp) throws(Failure) -> BrowserSession?
  /// Ends a browser's session, or every one of a user.
  func endBrowserSessions(id: String?, user: String?) throws(Failure)
  /// Ends at most `limit` browsers' sessions, whosever, and returns how many: 0 when none is left.
  func endSomeBrowserSessions(limit: Int) throws(Failure) -> Int

  // MARK: Urgent revocation

  /// Denies one access token (`jti`) or all of a family (`sid`) until a moment.
  func deny(_ id: String, until: Timestamp) throws(Failure)
  /// Whether any of these ids is denied at a moment: what one request asks, whatever the number of denials.
  func isDenied(_ ids: [String], now: Timestamp) throws(Failure) -> Bool
  /// Ids that are denied at a moment, in the order of their bytes, those after `id`, at most `limit`. What is denied between two calls may be missing.
  func denied(now: Timestamp, after id: String, limit: Int) throws(Failure) -> [Denial]
  /// A text for all that is denied at a moment, and another one whenever that is not the same: when an id came, is over, or is denied for
  /// longer. Asked for before a list is read, it is never newer than the list.
  func denialsMark(now: Timestamp) throws(Failure) -> String

  // MARK: Registry

  /// The client with this `client_id`.
  func client(_ id: String) throws(Failure) -> Client?
  /// Changes whenever a client was changed through this instance: who keeps what ``client(_:)`` returned for a moment looks whether it
  /// is still the same. What others change does not change it.
  var clientsVersion: UInt64 { get }
  /// All clients by id.
  func clients() throws(Failure) -> [Client]
  /// Adds a client, or replaces the one of its id. Returns the one that was there. Throws ``FailureCode/exists`` when there is one and
  /// `mayReplace` is false.
  func put(_ client: Client, mayReplace: Bool, audit: Auditing<Client?>?) throws(Failure) -> Client?
  /// Removes a client with its codes and consents; its families end, and with `denyUntil` their access tokens are denied. Returns those
  /// that had not ended; nil when there is no such client.
  func removeClient(
    _ id: String, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]?>?
  ) throws(Failure) -> [Family]?
  /// The user with this `sub`.
  func user(id: String) throws(Failure) -> User?
  /// The user with this name.
  func user(named name: String) throws(Failure) -> User?
  /// All users by name.
  func users() throws(Failure) -> [User]
  /// Adds a user. Throws ``FailureCode/exists`` when the name or the id is taken.
  func add(_ user: User, audit: Auditing<Void>?) throws(Failure)
  /// Changes a user; with `ending`, its families and browser sessions end in the same step, and their access tokens are denied until
  /// `denyUntil`. Returns the families. Throws ``FailureCode/notFound``.
  func change(
    _ user: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family]
  /// The same, if the user is still as it was when it was read; nil, and nothing is changed, when it is not, or is gone. So what
  /// somebody else changed in between is not undone.
  func change(
    _ user: User, ifWas known: User, ending: Family.End?, now: Timestamp, denyUntil: Timestamp?,
    audit: Auditing<[Family]?>?
  ) throws(Failure) -> [Family]?
  /// Scopes that a user has consented to for a client.
  func consent(user: String, client: String) throws(Failure) -> [String]
  /// Adds scopes to a consent, whoever it was given to.
  func addConsent(user: String, client: String, scopes: [String]) throws(Failure)

  // MARK: Identity links

  /// Links a subject at a provider to a user. True when it is linked to that user now, also when it was before; false, and nothing is
  /// changed, when the subject is another user's, the user has another subject of that issuer's, or there is no such user.
  /// What is audited is whether anything changed.
  func linkIdentity(_ link: IdentityLink, audit: Auditing<Bool>?) throws(Failure) -> Bool
  /// The link of a subject.
  func identityLink(issuer: String, subject: String) throws(Failure) -> IdentityLink?
  /// The links of a user, by issuer.
  func identityLinks(user: String) throws(Failure) -> [IdentityLink]
  /// Removes a user's link at an issuer, and ends the user's families in the same step: which of them began by it is not kept. With
  /// `denyUntil` their access tokens are denied. Returns those that had not ended; nil, and nothing is changed, when there is no such link.
  func unlinkIdentity(
    issuer: String, user: String, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]?>?
  ) throws(Failure) -> [Family]?

  // MARK: Resource servers

  /// The resource server of this name.
  func resourceServer(_ name: String) throws(Failure) -> ResourceServer?
  /// All resource servers by name.
  func resourceServers() throws(Failure) -> [ResourceServer]
  /// Adds a resource server, or replaces the one of its name. Returns the one that was there. Throws ``FailureCode/exists`` when there is
  /// one and `mayReplace` is false.
  func put(
    _ server: ResourceServer, mayReplace: Bool, audit: Auditing<ResourceServer?>?
  ) throws(Failure) -> ResourceServer?
  /// Stores a resource server's secret under another pepper, if what is stored of it is still `known`; false, and nothing is changed,
  /// when it is not.
  func rehashSecret(of name: String, known: KeyedHash, as hash: KeyedHash) throws(Failure) -> Bool
  /// Removes a resource server. False when there is none.
  func removeResourceServer(_ name: String, audit: Auditing<Bool>?) throws(Failure) -> Bool

  // MARK: Keys

  /// See ``KeyStore/add(_:ifNewestIs:)``.
  func add(_ key: SealedKey, ifNewestIs newest: Int64, audit: Auditing<SealedKey?>?) throws(Failure) -> SealedKey?
  /// See ``KeyStore/retire(_:retiredAt:removedAt:)``. What is audited is whether anything changed.
  @discardableResult
  func retire(
    _ number: Int64, retiredAt: Timestamp, removedAt: Timestamp, audit: Auditing<Bool>?
  ) throws(Failure) -> Bool

  // MARK: Devices

  /// One device.
  func device(user: String, id: String) throws(Failure) -> Device?
  /// Devices of a user, or all, last seen first, at most `limit`.
  func devices(user: String?, limit: Int) throws(Failure) -> [Device]
  /// The device, whosever, whose attested key has this id.
  func device(keyID: [UInt8]) throws(Failure) -> Device?
  /// Removes a device; its families end in the same step, and with `denyUntil` their access tokens are denied. Returns those that
  /// had not ended. Throws ``FailureCode/notFound``.
  func removeDevice(
    user: String, id: String, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family]
  /// Keeps a challenge.
  func add(_ challenge: AttestationChallenge) throws(Failure)
  /// Spends a challenge.
  func spendChallenge(_ value: [UInt8], client: String, now: Timestamp) throws(Failure) -> ChallengeOutcome

  // MARK: Device codes and native sign-in

  /// Keeps a device code. Throws ``FailureCode/exists`` when its user code is one that can still be decided.
  func add(_ authorization: DeviceAuthorization) throws(Failure)
  /// What can still be decided under a user code.
  func lookUp(userCode: String, now: Timestamp) throws(Failure) -> DeviceAuthorization?
  /// Decides what a user code stands for, once. Returns it as it is after; nil when there is nothing to decide any more, or when the
  /// browser's session that it is approved in is over.
  func decide(userCode: String, _ decision: DeviceDecision, now: Timestamp) throws(Failure) -> DeviceAuthorization?
  /// Asks whether the user has decided, and begins the family if so. The checks come in the order: unknown or redeemed, client,
  /// device, expired, too soon (also once it is decided), decided, user, what an attestation showed of the device, whether it may be given
  /// tokens now.
  func poll(_ poll: DevicePoll) throws(Failure) -> PollOutcome

  // MARK: Attempts

  /// Whether something may be tried now: when no rule makes it wait, it is counted under all of them in the same step, so that many
  /// at once are no more than one after the other. Nobody waits longer than the rule's maximum from the first time that he asks, even if
  /// the clock was ahead before.
  func attempt(_ rules: [AttemptRule], now: Timestamp) throws(Failure) -> AttemptOutcome
  /// Forgets what was counted: it went well.
  func forgetAttempts(_ keys: [String]) throws(Failure)
  /// Takes back the one attempt that was just allowed, with the delay that it began, and leaves those before it counted: it went well,
  /// which says nothing of the others.
  func takeBackAttempt(_ keys: [String]) throws(Failure)

  // MARK: Audit log

  /// Appends to the audit log. Returns the record's number. What a change is told by is appended by the change itself: see
  /// ``Auditing``.
  func audit(_ entry: AuditEntry) throws(Failure) -> Int64
  /// Records after one of this number (0 for the first), in order, at most `limit`.
  func auditRecords(after number: Int64, limit: Int) throws(Failure) -> [AuditRecord]
  /// The number of the last record; 0 when there is none.
  func lastAuditNumber() throws(Failure) -> Int64
  /// Goes through the whole log and finds the first record that is not what was written.
  func verifyAudit() throws(Failure) -> AuditVerdict

  // MARK: Housekeeping

  /// Removes what no longer matters at a moment: sessions, denials, challenges, digests, attempts and keys that are over, codes
  /// `keepSeconds` after their time, device codes as well and after an hour at the latest, families with their spent tokens `keepSeconds` after their end or lifetimes,
  /// and what was sealed for a grace that is over. Between its steps `isCancelled` is asked whether to leave the rest for another time.
  func prune(now: Timestamp, keepSeconds: Int64, isCancelled: () -> Bool) throws(Failure)
  /// Whether it can be written, for a readiness check.
  func probe() throws(Failure)
}

/// Which families are meant, where there are few.
public enum FamilySelection: Sendable {
  /// The one with this `sid`.
  case id(String)
  /// Every one of a user.
  case user(String)
  /// Every one of a user's device.
  case device(user: String, device: String)
}

/// Which families are meant, where there may be any number.
public enum ManyFamilies: Sendable {
  /// Every one of a client.
  case client(String)
  /// Every one there is.
  case all
}
