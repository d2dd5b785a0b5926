/// The kinds of key that the algorithms here use.
public enum KeyType: Sendable, CaseIterable {
  /// RSA of 2048 to 8192 bits (RFC 7518 6.3).
  case rsa
  /// Elliptic curve P-256 (RFC 7518 6.2).
  case p256
  /// Ed25519 (RFC 8037).
  case ed25519

  /// The `kty` of a JSON Web Key.
  var name: String {
    switch self {
    case .rsa: "RSA"
    case .p256: "EC"
    case .ed25519: "OKP"
    }
  }

  /// The `crv` of a JSON Web Key; nil for RSA.
  var curve: String? {
    switch self {
    case .rsa: nil
    case .p256: "P-256"
    case .ed25519: "Ed25519"
    }
  }

  /// For people.
  var words: String {
    switch self {
    case .rsa: "an RSA key"
    case .p256: "a P-256 key"
    case .ed25519: "an Ed25519 key"
    }
  }
}
