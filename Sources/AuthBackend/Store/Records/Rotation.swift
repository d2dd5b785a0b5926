public import Basics

/// One attempt to exchange a refresh token for its successor.
public struct Rotation: Sendable {
  /// The family that the token names.
  public var handle: [UInt8]
  /// The token's hash under each pepper that is still kept.
  public var presented: [KeyedHash]
  /// The hash of the token that would be the successor.
  public var successor: KeyedHash
  /// The successor, sealed with a key that only who has the presented token can make; kept for the grace seconds only, and
  /// nil without grace.
  public var sealedSuccessor: [UInt8]?
  /// Who asks.
  public var client: String
  /// From which device.
  public var device: String?
  /// What an attestation showed of the device; nil where none is asked for.
  public var finding: DeviceFinding?
  /// The scopes that are asked for; nil for all that were granted.
  public var scopes: [String]?
  /// For how many seconds the direct predecessor is answered with the same successor: as long as `now` is less than that away
  /// from the rotation. Counts for families with a device only; 0 is never.
  public var graceSeconds: Int64
  /// Whether a wrong device ends the family.
  public var wrongDeviceEnds: Bool
  /// The how manieth failed attempt within `failureSeconds` ends the family; 0 for none. What counts is a token that names the
  /// family and never was one of its tokens, and its live token from a wrong device.
  public var failureLimit: Int64
  /// The window in which failed attempts are counted: those of the last so many seconds.
  public var failureSeconds: Int64
  /// Until when the family's access tokens are denied when this attempt ends it, in the same step; nil for not at all.
  public var denyUntil: Timestamp?
  /// Whether the user's device may be given tokens now; nil for always.
  public var admission: Admission?
  /// What the audit log is told, in the same step.
  public var audit: Auditing<RotationOutcome>?
  /// Now.
  public var now: Timestamp

  /// An attempt without grace, with the limit of five failures in ten minutes.
  public init(
    handle: [UInt8], presented: [KeyedHash], successor: KeyedHash, client: String, device: String?, now: Timestamp
  ) {
    self.handle = handle
    self.presented = presented
    self.successor = successor
    sealedSuccessor = nil
    self.client = client
    self.device = device
    finding = nil
    scopes = nil
    graceSeconds = 0
    wrongDeviceEnds = false
    failureLimit = 5
    failureSeconds = 600
    denyUntil = nil
    admission = nil
    audit = nil
    self.now = now
  }
}

/// What became of a ``Rotation``.
public enum RotationOutcome: Equatable, Sendable {
  /// Why nothing was rotated.
  public enum Refusal: String, Sendable, CaseIterable {
    /// No family is named so, or the token was never one of its tokens.
    case unknown
    /// It was spent before: the family is ended now, unless it was by its client or its user before.
    case replay
    /// The family had ended.
    case ended
    /// The family is past its absolute or idle lifetime.
    case expired
    /// It is another client's. Nothing was changed.
    case client
    /// The family is bound to another device.
    case device
    /// More scope than was granted is asked for. Nothing was changed.
    case scope
    /// The user is disabled or gone.
    case user
    /// One failure too many: the family is ended now.
    case failures
  }

  /// The successor is the family's live token now. The family is as it is after; the user, who may have tokens, as he was in the same step.
  /// `misfit`, also of what is repeated, says why what was found is not the device's, where that is not required.
  case rotated(Family, User, misfit: DeviceMisfit? = nil)
  /// Within the grace the direct predecessor came again: what was sealed for it, and the family unchanged.
  case repeated(Family, sealedSuccessor: [UInt8], misfit: DeviceMisfit? = nil)
  /// All is right, and the device was given tokens too often: nothing was changed, and the token stays what it was.
  case held(seconds: Int64)
  /// It is the live token, but what was found is not the device's: the token stays the live one.
  case unattested(DeviceMisfit, Family)
  /// Nothing was rotated; the family that was named, if there is one, as it is after. `endedNow` says whether this attempt ended it.
  case refused(Refusal, Family?, endedNow: Bool)
}

/// What became of an authorization code (RFC 6749 4.1.3). A code that was presented is spent, whatever came of it but `held`.
public enum RedemptionOutcome: Equatable, Sendable {
  /// Why there are no tokens.
  public enum Refusal: String, Sendable, CaseIterable {
    /// There is no such code.
    case unknown
    /// It was presented before; the family that it began is ended now.
    case replay
    /// Its time is over.
    case expired
    /// It is another client's, or another redirect URI was given, or the verifier does not match (RFC 7636 4.6).
    case mismatch
    /// The user is disabled or gone, or has signed out meanwhile.
    case user
    /// The device is not the one of the request: another, one where there was none, or none where there was one.
    case device
  }

  /// The family has begun; the code as it was. `misfit` says why what was found is not the device's, where that is not required.
  case redeemed(Family, AuthorizationCode, misfit: DeviceMisfit? = nil)
  /// All is right, and the device was given tokens too often: nothing was changed, and the code is still good.
  case held(seconds: Int64)
  /// All is right but what was found, which is not the device's. Nothing has begun; the code as it was.
  case unattested(DeviceMisfit, AuthorizationCode)
  /// None has; `user` is whose code it was, nil for one that is none, and `ended` the family that a replay ended just now, as it is
  /// after.
  case refused(Refusal, user: String?, ended: Family?)
}

/// What is presented with a code.
public struct Redemption: Sendable {
  /// The code's hash under each pepper that is still kept.
  public var presented: [KeyedHash]
  /// Who asks.
  public var client: String
  /// `redirect_uri`; nil when the request has none, which is right for a code that was asked for without one.
  public var redirectURI: String?
  /// base64url of the SHA-256 of `code_verifier`.
  public var challenge: String
  /// From which device, which must be the code's; nil when the request tells none: the code's counts.
  public var device: String?
  /// How the app describes the device, and what an attestation showed of it.
  public var description = DeviceDescription()
  /// The family to begin; user, scopes, device and authentication time are the code's.
  public var handle: [UInt8]
  /// `sid` of it.
  public var id: String
  /// The hash of its first refresh token.
  public var first: KeyedHash
  /// Its absolute lifetime in seconds.
  public var lifetimeSeconds: Int64
  /// How many seconds it may stay unused.
  public var idleSeconds: Int64
  /// Until when the access tokens of a family that a replay ends are denied, in the same step; nil for not at all.
  public var denyUntil: Timestamp?
  /// Whether the user's device may be given tokens now; nil for always.
  public var admission: Admission?
  /// What the audit log is told, in the same step.
  public var audit: Auditing<RedemptionOutcome>?
  /// Now.
  public var now: Timestamp

  /// A redemption.
  public init(
    presented: [KeyedHash], client: String, redirectURI: String?, challenge: String, device: String?, handle: [UInt8],
    id: String, first: KeyedHash, lifetimeSeconds: Int64, idleSeconds: Int64, now: Timestamp
  ) {
    self.presented = presented
    self.client = client
    self.redirectURI = redirectURI
    self.challenge = challenge
    self.device = device
    self.handle = handle
    self.id = id
    self.first = first
    self.lifetimeSeconds = lifetimeSeconds
    self.idleSeconds = idleSeconds
    denyUntil = nil
    admission = nil
    audit = nil
    self.now = now
  }
}
