public import Basics

/// A sign-in on a device without a browser (RFC 8628 3.2). Neither code is stored: the device code as a hash only, the user code
/// in the form that it is compared in.
public struct DeviceAuthorization: Equatable, Sendable {
  /// How far it is.
  public enum State: String, Sendable, CaseIterable {
    /// Nobody has decided.
    case pending
    /// The user said yes.
    case approved
    /// The user said no, or the user's sign-ins were ended before the device asked.
    case denied
    /// The tokens were issued.
    case redeemed
  }

  /// The hash of the device code.
  public var hash: KeyedHash
  /// The user code: upper case, without its dash. Unique among those that can still be decided.
  public var userCode: String
  /// Whom it was issued to.
  public var client: String
  /// The device that the sign-in is for.
  public var device: String?
  /// What is asked for.
  public var scopes: [String]
  /// When it was issued.
  public var createdAt: Timestamp
  /// From when on it is worthless.
  public var expiresAt: Timestamp
  /// How many seconds must be between two polls; five more with each poll that comes too soon (RFC 8628 3.5).
  public var intervalSeconds: Int64
  /// When the device last asked.
  public var polledAt: Timestamp?
  /// How far it is.
  public var state: State
  /// Who approved it.
  public var user: String?
  /// When that user gave the password.
  public var authTime: Timestamp?

  /// One that nobody has decided.
  public init(
    hash: KeyedHash, userCode: String, client: String, device: String?, scopes: [String], createdAt: Timestamp,
    expiresAt: Timestamp, intervalSeconds: Int64
  ) {
    self.hash = hash
    self.userCode = userCode
    self.client = client
    self.device = device
    self.scopes = scopes
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.intervalSeconds = intervalSeconds
    polledAt = nil
    state = .pending
    user = nil
    authTime = nil
  }
}

/// What a user says to a ``DeviceAuthorization``.
public enum DeviceDecision: Equatable, Sendable {
  /// Yes, by a user who gave the password at a moment, in a browser's session that must not be over; nil for none.
  case approve(user: String, authTime: Timestamp, session: String? = nil)
  /// No.
  case deny
}

/// One question of a device's whether the user has decided (RFC 8628 3.4).
public struct DevicePoll: Sendable {
  /// The device code's hash under each pepper that is still kept.
  public var presented: [KeyedHash]
  /// Who asks.
  public var client: String
  /// From which device; it must be the one of the request.
  public var device: String?
  /// How the app describes the device, and what an attestation showed of it.
  public var description = DeviceDescription()
  /// The family to begin if the user has approved: how its tokens name it.
  public var handle: [UInt8]
  /// `sid` of it.
  public var id: String
  /// The hash of its first refresh token.
  public var first: KeyedHash
  /// Its absolute lifetime in seconds.
  public var lifetimeSeconds: Int64
  /// How many seconds it may stay unused.
  public var idleSeconds: Int64
  /// Whether the user's device may be given tokens now; nil for always.
  public var admission: Admission?
  /// What the audit log is told, in the same step.
  public var audit: Auditing<PollOutcome>?
  /// Now.
  public var now: Timestamp

  /// A poll.
  public init(
    presented: [KeyedHash], client: String, device: String?, handle: [UInt8], id: String, first: KeyedHash,
    lifetimeSeconds: Int64, idleSeconds: Int64, now: Timestamp
  ) {
    self.presented = presented
    self.client = client
    self.device = device
    self.handle = handle
    self.id = id
    self.first = first
    self.lifetimeSeconds = lifetimeSeconds
    self.idleSeconds = idleSeconds
    admission = nil
    audit = nil
    self.now = now
  }
}

/// What became of a ``DevicePoll``.
public enum PollOutcome: Equatable, Sendable {
  /// Approved: the family has begun, and the device code is spent. `misfit` says why what was found is not the device's, where that is
  /// not required.
  case granted(Family, DeviceAuthorization, misfit: DeviceMisfit? = nil)
  /// Nobody has decided.
  case pending
  /// It came too soon; from now on so many seconds must be between two polls.
  case slowDown(intervalSeconds: Int64)
  /// The user said no, or the user's sign-ins were ended since.
  case denied
  /// Its time is over.
  case expired
  /// There is no such device code, or it was redeemed.
  case unknown
  /// It is another client's. Nothing was changed.
  case client
  /// The device is not the one of the request. Nothing was changed.
  case device
  /// The user who approved, of this id, is disabled or gone. The device code is spent.
  case user(String)
  /// Approved, and the device was given tokens too often: it counts as a poll, and the device code is still good.
  case held(seconds: Int64)
  /// Approved, but what was found is not the device's. The device code, as it is after, is spent.
  case unattested(DeviceMisfit, DeviceAuthorization)
}
