/// The signature algorithms that are taken (RFC 7518 3.1, RFC 8037 3.1). There is no `none` and no HMAC among them: a
/// symmetric key shared with every device is no proof of who issued a token.
public enum JWSAlgorithm: String, Hashable, Sendable, CaseIterable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// RSASSA-PSS with SHA-256 and a salt of 32 bytes.
  case ps256 = "PS256"
  /// ECDSA on P-256 with SHA-256; the signature is r and s, 32 bytes each.
  case es256 = "ES256"
  /// Ed25519.
  case edDSA = "EdDSA"

  /// The algorithm of that exact name.
  public init?(named name: String) {
    guard let found = JWSAlgorithm.allCases.first(where: { $0.rawValue.isExactly(name) }) else { return nil }
    self = found
  }

  /// The kind of key it takes.
  public var keyType: KeyType {
    switch self {
    case .rs256, .ps256: .rsa
    case .es256: .p256
    case .edDSA: .ed25519
    }
  }
}
