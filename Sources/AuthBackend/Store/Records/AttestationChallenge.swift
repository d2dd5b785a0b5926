public import Basics

/// A challenge that an attestation or an assertion must answer: good once, for a while.
public struct AttestationChallenge: Equatable, Sendable {
  /// The random bytes, or a hash of them.
  public var value: [UInt8]
  /// The client that it was made for.
  public var client: String
  /// When it was made.
  public var createdAt: Timestamp
  /// From when on it is too old.
  public var expiresAt: Timestamp

  /// A challenge.
  public init(value: [UInt8], client: String, createdAt: Timestamp, expiresAt: Timestamp) {
    self.value = value
    self.client = client
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}

/// What became of a challenge that came back. It is spent, whatever came of it.
public enum ChallengeOutcome: Equatable, Sendable {
  /// It is good.
  case good(AttestationChallenge)
  /// There is none such.
  case unknown
  /// It came before.
  case spent
  /// It is too old.
  case expired
  /// It was made for another client.
  case client
}
