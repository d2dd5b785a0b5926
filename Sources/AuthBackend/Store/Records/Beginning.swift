public import Basics

/// What an app says of the device that a family begins on, and what an attestation showed of it. It is kept with the device in the step that
/// begins the family; what is not said stays as it was.
public struct DeviceDescription: Equatable, Sendable {
  /// What the user calls it; without, a device that is new is called by its id.
  public var name: String?
  /// `ios`, `android` or what the app says.
  public var platform: String?
  /// What an attestation showed; nil where none is asked for.
  public var finding: DeviceFinding?

  /// A description.
  public init(name: String? = nil, platform: String? = nil, finding: DeviceFinding? = nil) {
    self.name = name
    self.platform = platform
    self.finding = finding
  }
}

/// Something that begins one family and no more, such as a provider's ID token.
public struct SpentOnce: Equatable, Sendable {
  /// A digest of it.
  public var digest: [UInt8]
  /// From when on it is worthless by itself, and need not be remembered.
  public var until: Timestamp
  /// Whose it is at a provider: then that identity must still be the user's (``IdentityLink``) when the family begins.
  public var identity: Identity?

  /// A subject at a provider, as ``IdentityLink`` names it.
  public struct Identity: Equatable, Sendable {
    /// Who vouches for the subject.
    public var issuer: String
    /// Who it is there.
    public var subject: String

    /// A subject.
    public init(issuer: String, subject: String) {
      self.issuer = issuer
      self.subject = subject
    }
  }

  /// Something that is good once.
  public init(digest: [UInt8], until: Timestamp) {
    self.digest = digest
    self.until = until
  }
}

/// What became of a family that was to begin without a code.
public enum BeginOutcome: Equatable, Sendable {
  /// It has begun; `misfit` says why what was found is not the device's, where that is not required.
  case begun(misfit: DeviceMisfit? = nil)
  /// What is good once began one before. Nothing was changed.
  case replay
  /// The user is disabled or gone. What is good once is spent.
  case user
  /// All is right, and the device was given tokens too often. Nothing was changed: what is good once still is.
  case held(seconds: Int64)
  /// What was found is not the device's. What is good once is spent.
  case unattested(DeviceMisfit)
  /// The identity at a provider is not the user's any more. What is good once is spent.
  case unlinked
}
