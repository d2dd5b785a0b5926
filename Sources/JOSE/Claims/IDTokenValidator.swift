public import Basics
public import SecureMemory

/// Validates ID tokens for one client of one issuer (OpenID Connect Core 3.1.3.7, 3.2.2.11, 3.3.2.12).
public struct IDTokenValidator: Sendable {
  /// The issuer, as its discovery document names it.
  public var issuer: String
  /// The client.
  public var clientID: String
  /// Others that may stand in `aud` beside the client. A token for more than the client and these is taken only when
  /// `azp` says that it was issued to the client.
  public var trustedAudiences: [String]
  /// Others that `azp` may name: clients of the same app, as when a phone's client asks for a token for its server's.
  public var trustedParties: [String] = []
  /// The algorithms that are allowed; better just those that the issuer's discovery document names.
  public var algorithms: Set<JWSAlgorithm>
  /// By how many seconds the two clocks may differ.
  public var leeway: Int64

  /// A validator.
  public init(
    issuer: String, clientID: String, trustedAudiences: [String] = [],
    algorithms: Set<JWSAlgorithm> = Set(JWSAlgorithm.allCases), leeway: Int64 = TokenTime.leeway
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.trustedAudiences = trustedAudiences
    self.algorithms = algorithms
    self.leeway = max(0, leeway)
  }

  /// Validates a token: first its signature, then what it says. Throws the first ``TokenRefusal`` met.
  public func validate(
    _ token: borrowing SecureBytes, expecting expected: IDTokenExpectation, keys: some JSONWebKeySource,
    now: Timestamp
  ) throws(TokenRefusal) -> IDToken {
    let verified = try JWSVerifier(algorithms: algorithms).verify(token, keys: keys)
    // RFC 8725 3.11: tokens of another kind say so, as `at+jwt` and `logout+jwt` do.
    if let type = verified.header.shortType, type.hasSuffix("+jwt") {
      throw TokenRefusal(.type, "the token is no ID token: its type is '\(OutsideText.clean(type, limit: 32))'")
    }
    let claims = try TokenClaims(verified.payload)
    try claims.checkIssuer(issuer)
    let audiences = try claims.audiences()
    let party = try claims.optionalText("azp")
    try checkAudience(audiences, party: party)
    let dates = try TokenTime.check(claims, now: now, leeway: leeway)
    let subject = try claims.subject()
    if let before = expected.subject, !subject.isExactly(before) {
      throw TokenRefusal(
        .subject, "the token is for another user than the one who signed in", hint: "sign out and in again")
    }
    try checkNonce(claims, expected)
    try checkHashes(claims, expected, verified.header.algorithm)
    let authenticated = try claims.optionalDate("auth_time")
    try checkAge(authenticated, expected, now: now)
    return IDToken(
      issuer: issuer, subject: subject, audiences: audiences, authorizedParty: party, expires: dates.expires,
      issued: dates.issued, authenticated: authenticated, algorithm: verified.header.algorithm,
      keyID: verified.header.keyID,
      claims: claims)
  }
}
