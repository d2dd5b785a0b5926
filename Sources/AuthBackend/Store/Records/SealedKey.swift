public import Basics

/// A key of the server's as it is stored: sealed, so that the database alone gives nothing away.
public struct SealedKey: Equatable, Sendable {
  /// What it is for.
  public enum Purpose: String, Sendable, CaseIterable {
    /// It signs tokens.
    case signing
    /// Stored secrets are hashed with it.
    case pepper
  }

  /// Its number, rising with its age; the pepper of a ``KeyedHash``. 0 for one that is not stored yet.
  public var number: Int64
  /// What it is for.
  public var purpose: Purpose
  /// `kid` of a signing key; empty for a pepper.
  public var keyID: String
  /// `alg` of a signing key (RFC 7518, RFC 8037); empty for a pepper.
  public var algorithm: String
  /// The public half as a JWK (RFC 7517); empty for a pepper.
  public var publicJWK: String
  /// The sealed private half.
  public var sealed: [UInt8]
  /// When it was made, which is when a signing key is first published.
  public var createdAt: Timestamp
  /// From when on it is used for what is new.
  public var activeAt: Timestamp
  /// From when on nothing new is made with it; nil while it has no successor.
  public var retiredAt: Timestamp?
  /// From when on it is gone: not published and not accepted.
  public var removedAt: Timestamp?

  /// A key.
  public init(
    number: Int64 = 0, purpose: Purpose, keyID: String, algorithm: String, publicJWK: String, sealed: [UInt8],
    createdAt: Timestamp, activeAt: Timestamp
  ) {
    self.number = number
    self.purpose = purpose
    self.keyID = keyID
    self.algorithm = algorithm
    self.publicJWK = publicJWK
    self.sealed = sealed
    self.createdAt = createdAt
    self.activeAt = activeAt
    retiredAt = nil
    removedAt = nil
  }
}
