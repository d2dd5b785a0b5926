public import Basics

/// What a valid ID token says (OpenID Connect Core 2).
public struct IDToken: Sendable {
  /// `iss`.
  public let issuer: String
  /// `sub`: the user, by an id that is the issuer's own and never changes.
  public let subject: String
  /// `aud`.
  public let audiences: [String]
  /// `azp`.
  public let authorizedParty: String?
  /// `exp`.
  public let expires: Timestamp
  /// `iat`.
  public let issued: Timestamp
  /// `auth_time`: when the user signed in.
  public let authenticated: Timestamp?
  /// The algorithm of its signature.
  public let algorithm: JWSAlgorithm
  /// `kid` of its header: which key it names; nil when it names none.
  public let keyID: String?
  /// Everything it says.
  public let claims: TokenClaims
}
