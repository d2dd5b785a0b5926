public import Basics

/// A resource server that may ask about access tokens (RFC 7662 2.1): an API that apps call.
public struct ResourceServer: Hashable, Sendable {
  /// What it calls itself when it asks, byte for byte.
  public var name: String
  /// `aud` of the access tokens that are for it.
  public var audience: String
  /// What is stored of its secret.
  public var secret: KeyedHash
  /// When it was registered, or got its present secret.
  public var createdAt: Timestamp

  /// A registration.
  public init(name: String, audience: String, secret: KeyedHash, createdAt: Timestamp) {
    self.name = name
    self.audience = audience
    self.secret = secret
    self.createdAt = createdAt
  }
}
