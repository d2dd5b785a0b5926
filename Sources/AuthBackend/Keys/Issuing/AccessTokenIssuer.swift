public import Basics

/// What an access token is issued for.
public struct AccessTokenGrant: Sendable {
  /// `sub`: the user.
  public var subject: String
  /// `client_id`.
  public var clientID: String
  /// `aud`: the resource servers that it is for.
  public var audiences: [String]
  /// `scope`.
  public var scopes: [String]
  /// `sid`: the family.
  public var sessionID: String
  /// `device_id`: the device that the family is bound to.
  public var deviceID: String?
  /// `auth_time`: when the user signed in.
  public var authTime: Timestamp?

  /// A grant.
  public init(
    subject: String, clientID: String, audiences: [String], scopes: [String], sessionID: String,
    deviceID: String? = nil,
    authTime: Timestamp? = nil
  ) {
    (self.subject, self.clientID, self.audiences, self.scopes) = (subject, clientID, audiences, scopes)
    (self.sessionID, self.deviceID, self.authTime) = (sessionID, deviceID, authTime)
  }
}

/// A token that was issued.
public struct IssuedToken: Sendable {
  /// What the client gets.
  public let text: String
  /// `jti`; nil for an ID token.
  public let id: String?
  /// `exp`.
  public let expires: Timestamp
  /// `kid` of the key that signed it.
  public let keyID: String
}

/// Issues access tokens (RFC 9068): typ `at+jwt`, with `iss`, `sub`, `aud`, `client_id`, `iat`, `exp`, `jti` of 128 random bits and
/// `scope`; `sid`, `device_id` and `auth_time` where they are known.
public struct AccessTokenIssuer: Sendable {
  /// The longest life that a token may have, in seconds: a quarter of an hour.
  public static let longestLife: Int64 = 900

  /// `iss`.
  public let issuer: String
  /// For how long a token is good, in seconds.
  public let lifetimeSeconds: Int64
  private let keys: KeyRing

  /// An issuer. Throws ``FailureCode/configuration`` for a life of more than ``longestLife``, or than the keys are kept for.
  public init(issuer: String, keys: KeyRing, lifetimeSeconds: Int64 = 600) throws(Failure) {
    let longest = min(AccessTokenIssuer.longestLife, keys.settings.longestTokenSeconds)
    guard (1...longest).contains(lifetimeSeconds) else {
      throw Failure(.configuration, "an access token lives 1 to \(longest) s, not \(lifetimeSeconds)")
    }
    (self.issuer, self.keys, self.lifetimeSeconds) = (issuer, keys, lifetimeSeconds)
  }

  /// A token. Throws ``FailureCode/configuration`` for a grant without audience, and what ``KeyRing/signingKey(now:)`` does.
  public func issue(_ grant: AccessTokenGrant, now: Timestamp) throws(Failure) -> IssuedToken {
    guard !grant.audiences.isEmpty else {
      throw Failure(
        .configuration, "an access token is for no resource server", hint: "name one in the client's registry")
    }
    let expires = now.advanced(by: lifetimeSeconds), id = try TokenID.random()
    var claims = JSONWriter()
    claims.add("iss", issuer)
    claims.add("sub", grant.subject)
    claims.add("aud", oneOrMore: grant.audiences)
    claims.add("client_id", grant.clientID)
    claims.add("iat", now)
    claims.add("exp", expires)
    claims.add("jti", id)
    claims.add("scope", grant.scopes.joined(separator: " "))
    claims.add("sid", grant.sessionID)
    if let device = grant.deviceID { claims.add("device_id", device) }
    if let authTime = grant.authTime { claims.add("auth_time", authTime) }
    let key = try keys.signingKey(now: now)
    return IssuedToken(
      text: try key.token(.accessToken, claims: claims.object()), id: id, expires: expires, keyID: key.keyID)
  }
}
