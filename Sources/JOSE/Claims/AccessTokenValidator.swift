public import Basics
public import SecureMemory

/// What a valid access token says (RFC 9068 2.2).
public struct AccessToken: Sendable {
  /// `iss`.
  public let issuer: String
  /// `sub`: the user, or the client itself when there is none.
  public let subject: String
  /// `aud`.
  public let audiences: [String]
  /// `client_id`: whom it was issued to.
  public let clientID: String
  /// `jti`: its own id.
  public let id: String
  /// `exp`.
  public let expires: Timestamp
  /// `iat`.
  public let issued: Timestamp
  /// `scope`, split at its spaces; empty when it has none.
  public let scopes: [String]
  /// Everything it says.
  public let claims: TokenClaims
}

/// Validates access tokens in the form of RFC 9068 for a resource server.
public struct AccessTokenValidator: Sendable {
  /// The issuer, as its metadata (RFC 8414) names it.
  public var issuer: String
  /// What the resource server is called in `aud`.
  public var audience: String
  /// The algorithms that are allowed.
  public var algorithms: Set<JWSAlgorithm>
  /// By how many seconds the two clocks may differ.
  public var leeway: Int64

  /// A validator.
  public init(
    issuer: String, audience: String, algorithms: Set<JWSAlgorithm> = Set(JWSAlgorithm.allCases),
    leeway: Int64 = TokenTime.leeway
  ) {
    self.issuer = issuer
    self.audience = audience
    self.algorithms = algorithms
    self.leeway = max(0, leeway)
  }

  /// Validates a token (RFC 9068 4). Throws the first ``TokenRefusal`` met. Scopes are for the caller to look at.
  public func validate(
    _ token: borrowing SecureBytes, keys: some JSONWebKeySource, now: Timestamp
  ) throws(TokenRefusal) -> AccessToken {
    try validate(try JWSVerifier(algorithms: algorithms).verify(token, keys: keys), now)
  }

  /// The same for a token that stands in ordinary memory, such as in a request's header.
  public func validate(
    _ token: UnsafeRawBufferPointer, keys: some JSONWebKeySource, now: Timestamp
  ) throws(TokenRefusal) -> AccessToken {
    try validate(try unsafe JWSVerifier(algorithms: algorithms).verify(token, keys: keys), now)
  }

  private func validate(_ verified: JWSVerifier.Verified, _ now: Timestamp) throws(TokenRefusal) -> AccessToken {
    guard verified.header.isType("at+jwt") else {
      throw TokenRefusal(
        .type, "the token is no access token: its type is not 'at+jwt'",
        hint: "an ID token is for the client alone; send the access token")
    }
    let claims = try TokenClaims(verified.payload)
    try claims.checkIssuer(issuer)
    let audiences = try claims.audiences()
    guard audiences.containsExactly(audience) else {
      throw TokenRefusal(.audience, "the token is not for '\(OutsideText.clean(audience))'")
    }
    let dates = try TokenTime.check(claims, now: now, leeway: leeway)
    let scopes = try claims.optionalText("scope")?.split(separator: " ").map(String.init) ?? []
    return AccessToken(
      issuer: issuer, subject: try claims.subject(), audiences: audiences, clientID: try claims.text("client_id"),
      id: try claims.text("jti"), expires: dates.expires, issued: dates.issued, scopes: scopes, claims: claims)
  }
}
