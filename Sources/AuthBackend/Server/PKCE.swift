internal import JOSE

/// Proof key for code exchange by S256 (RFC 7636), the one method there is here.
enum PKCE {
  /// Whether a text is a `code_verifier`: 43 to 128 unreserved characters (4.1).
  static func isVerifier(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count) && text.utf8.allSatisfy { isUnreserved($0) }
  }

  /// Whether a text is a `code_challenge` of a SHA-256: 43 characters of base64url, without padding (4.2).
  static func isChallenge(_ text: String) -> Bool { text.utf8.count == 43 && Base64URL.decode(text)?.count == 32 }

  /// The challenge that a verifier belongs to.
  static func challenge(of verifier: String) -> String {
    Base64URL.encode(SHA256.hash(verifier))
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }
}
