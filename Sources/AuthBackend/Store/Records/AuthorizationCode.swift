public import Basics

/// What an authorization code stands for (RFC 6749 4.1.2). The code itself is stored nowhere.
public struct AuthorizationCode: Equatable, Sendable {
  /// The hash of the code.
  public var hash: KeyedHash
  /// Whom it was issued to.
  public var client: String
  /// The redirect URI that the code was sent to, byte for byte. The authorization request named it, so the token request must too
  /// (RFC 6749 4.1.3).
  public var redirectURI: String
  /// `code_challenge`: base64url of a SHA-256, 43 characters (RFC 7636 4.2).
  public var challenge: String
  /// Who signed in.
  public var user: String
  /// The device that the sign-in is for.
  public var device: String?
  /// What was granted.
  public var scopes: [String]
  /// `nonce` of the request.
  public var nonce: String?
  /// When the user gave the password.
  public var authTime: Timestamp
  /// The browser's session that it was issued in; its end makes the code worthless.
  public var browserSession: String?
  /// From when on it is worthless.
  public var expiresAt: Timestamp

  /// A code that is not used yet.
  public init(
    hash: KeyedHash, client: String, redirectURI: String, challenge: String, user: String, device: String?,
    scopes: [String], nonce: String?, authTime: Timestamp, browserSession: String?, expiresAt: Timestamp
  ) {
    self.hash = hash
    self.client = client
    self.redirectURI = redirectURI
    self.challenge = challenge
    self.user = user
    self.device = device
    self.scopes = scopes
    self.nonce = nonce
    self.authTime = authTime
    self.browserSession = browserSession
    self.expiresAt = expiresAt
  }
}
