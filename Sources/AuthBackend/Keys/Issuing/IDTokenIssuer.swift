public import Basics
internal import JOSE

/// What an ID token is issued for.
public struct IDTokenGrant: Sendable {
  /// `sub`: the user.
  public var subject: String
  /// `aud`: the client.
  public var clientID: String
  /// `auth_time`: when the user signed in.
  public var authTime: Timestamp
  /// `nonce` of the authorization request.
  public var nonce: String?
  /// `sid`: the family.
  public var sessionID: String
  /// What was granted: which of the claims are told.
  public var scopes: [String]
  /// What is known of the user, by the names of OpenID Connect Core 5.1.
  public var claims: [String: JSONValue]
  /// The access token that goes with it.
  public var accessToken: String?

  /// A grant.
  public init(
    subject: String, clientID: String, authTime: Timestamp, nonce: String? = nil, sessionID: String, scopes: [String],
    claims: [String: JSONValue] = [:], accessToken: String? = nil
  ) {
    (self.subject, self.clientID, self.authTime, self.nonce) = (subject, clientID, authTime, nonce)
    (self.sessionID, self.scopes, self.claims, self.accessToken) = (sessionID, scopes, claims, accessToken)
  }
}

/// Issues ID tokens (OpenID Connect Core 2): `iss`, `sub`, `aud`, `exp`, `iat`, `auth_time`, `nonce` as it was sent, `at_hash`, `sid`, and the
/// claims about the user that the scopes grant.
public struct IDTokenIssuer: Sendable {
  /// `iss`.
  public let issuer: String
  /// For how long a token is good, in seconds.
  public let lifetimeSeconds: Int64
  private let keys: KeyRing

  /// An issuer. Throws ``FailureCode/configuration`` for a life that is longer than the keys are kept for.
  public init(issuer: String, keys: KeyRing, lifetimeSeconds: Int64 = 600) throws(Failure) {
    guard lifetimeSeconds > 0, lifetimeSeconds <= keys.settings.longestTokenSeconds else {
      throw Failure(
        .configuration, "an ID token lives 1 to \(keys.settings.longestTokenSeconds) s, not \(lifetimeSeconds)")
    }
    (self.issuer, self.keys, self.lifetimeSeconds) = (issuer, keys, lifetimeSeconds)
  }

  /// A token. Throws what ``KeyRing/signingKey(now:)`` does.
  public func issue(_ grant: IDTokenGrant, now: Timestamp) throws(Failure) -> IssuedToken {
    let key = try keys.signingKey(now: now), expires = now.advanced(by: lifetimeSeconds)
    var claims = JSONWriter()
    claims.add("iss", issuer)
    claims.add("sub", grant.subject)
    claims.add("aud", grant.clientID)
    claims.add("iat", now)
    claims.add("exp", expires)
    claims.add("auth_time", grant.authTime)
    if let nonce = grant.nonce { claims.add("nonce", nonce) }
    if let token = grant.accessToken { claims.add("at_hash", key.algorithm.claimHash(token)) }
    claims.add("sid", grant.sessionID)
    for member in ProfileClaims.granted(grant.claims, scopes: grant.scopes) {
      claims.add(member.name, value: member.value)
    }
    return IssuedToken(
      text: try key.token(.idToken, claims: claims.object()), id: nil, expires: expires, keyID: key.keyID)
  }
}
