internal import Basics
internal import JOSE

/// An ID token before it is signed (OpenID Connect Core 2).
struct IDTokenDraft {
  private(set) var claims: [JSONValue.Member]
  private let now: Timestamp
  private let lifetime: Int64

  init(
    issuer: String, options: ProviderOptions, signIn: ProviderState.Family, nonce: String?, accessToken: String?,
    now: Timestamp
  ) {
    self.now = now
    lifetime = options.idTokenLifetime
    claims = [
      .init("iss", .string(issuer)), .init("sub", .string(signIn.user)), .init("aud", .string(options.clientID)),
      .init("exp", .integer(now.advanced(by: options.idTokenLifetime).seconds)), .init("iat", .integer(now.seconds)),
      .init("auth_time", .integer(signIn.authenticated.seconds)),
    ]
    if let nonce { set("nonce", .string(nonce)) }
    if let accessToken { set("at_hash", .string(options.algorithm.claimHash(accessToken))) }
    if options.namesAuthorizedParty { set("azp", .string(options.clientID)) }
    for claim in UserClaims.of(signIn, options) { set(claim.name, claim.value) }
  }

  /// The token, wrong if a fault says so. Throws when it cannot be signed.
  func signed(by key: SigningKey, _ fault: ProviderFault?) throws(Failure) -> String {
    var draft = self
    draft.spoil(fault)
    return try draft.text(by: key, fault?.kind)
  }

  mutating func set(_ name: String, _ value: JSONValue?) {
    let index = claims.firstIndex { $0.name == name }
    if let index { claims.remove(at: index) }
    guard let value else { return }
    claims.insert(.init(name, value), at: index ?? claims.endIndex)
  }

  private mutating func spoil(_ fault: ProviderFault?) {
    func dates(_ issued: Timestamp) -> (JSONValue, JSONValue) {
      (.integer(issued.seconds), .integer(issued.advanced(by: lifetime).seconds))
    }
    switch fault?.kind {
    case .wrongNonce: set("nonce", .string(Hexadecimal.encode(randomBytes(16))))
    case .noNonce: set("nonce", nil)
    case .wrongAudience: set("aud", "another-client")
    case .wrongTokenIssuer: set("iss", .optional(fault?.location))
    case .wrongSubject: set("sub", "mallory")
    case .wrongAccessTokenHash: set("at_hash", .string(Base64URL.encode(randomBytes(16))))
    case .expired:
      set("iat", .integer(now.advanced(by: -3_600 - lifetime).seconds))
      set("exp", .integer(now.advanced(by: -3_600).seconds))
    case .issuedInFuture:
      set("iat", dates(now.advanced(by: 86_400)).0)
      set("exp", dates(now.advanced(by: 86_400)).1)
    default: break
    }
  }
}

/// What the provider says about a user (OpenID Connect Core 5.1).
enum UserClaims {
  static func of(_ signIn: ProviderState.Family, _ options: ProviderOptions) -> [JSONValue.Member] {
    var claims: [JSONValue.Member] = []
    if signIn.scopes.contains("profile") {
      claims.append(.init("preferred_username", .string(signIn.user)))
      if let id = options.employeeIDs[signIn.user] { claims.append(.init("employeeId", .string(id))) }
    }
    if signIn.scopes.contains("email") {
      claims += [.init("email", .string(signIn.user + "@example.com")), .init("email_verified", true)]
    }
    return claims
  }
}
