public import Basics

/// All refresh tokens that descend from one sign-in: one row, whose one live token is the hash in it.
public struct Family: Equatable, Sendable {
  /// Why a family ended.
  public enum End: String, Sendable, CaseIterable {
    /// A spent token came back: somebody else may have it.
    case replay
    /// Its authorization code came back.
    case codeReplay = "code-replay"
    /// The client revoked its token (RFC 7009).
    case revoked
    /// The user signed out.
    case logout
    /// Too many rotations that named it failed.
    case failures
    /// The password was changed.
    case password
    /// The user was disabled.
    case disabled
    /// The device was removed.
    case device
    /// The identity at a provider that the user signs in by was unlinked.
    case unlinked
    /// Another device presented its token, and the client's policy ends it for that.
    case wrongDevice = "wrong-device"
    /// An administrator ended it, or a backup was restored.
    case administrator
  }

  /// `sid`: the family's public id.
  public var id: String
  /// How its tokens name it, 16 random bytes; never shown elsewhere.
  public var handle: [UInt8]
  /// Who signed in.
  public var user: String
  /// Which client.
  public var client: String
  /// The device that it is bound to.
  public var device: String?
  /// What was granted.
  public var scopes: [String]
  /// When the user gave the password.
  public var authTime: Timestamp
  /// When it began.
  public var createdAt: Timestamp
  /// Its absolute end, which no rotation moves.
  public var expiresAt: Timestamp
  /// How many seconds it may stay unused.
  public var idleSeconds: Int64
  /// When its token was last rotated, or when it began.
  public var usedAt: Timestamp
  /// How many rotations there were.
  public var generation: Int64
  /// The hash of the one live token.
  public var current: KeyedHash
  /// Whether and why it ended.
  public var end: End?

  /// A family that begins.
  public init(
    id: String, handle: [UInt8], user: String, client: String, device: String?, scopes: [String], authTime: Timestamp,
    createdAt: Timestamp, expiresAt: Timestamp, idleSeconds: Int64, current: KeyedHash
  ) {
    self.id = id
    self.handle = handle
    self.user = user
    self.client = client
    self.device = device
    self.scopes = scopes
    self.authTime = authTime
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.idleSeconds = idleSeconds
    usedAt = createdAt
    generation = 0
    self.current = current
    end = nil
  }
}
