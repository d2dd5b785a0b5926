/// The token of RFC 9110 5.6.2: what the name of a header field, a method or the name of a cookie is made of.
public enum HTTPToken {
  /// Whether a text is a token: at least one byte, and none that a token may not have.
  @inlinable public static func isValid(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isByte)
  }

  /// Whether a byte may stand in a token.
  @inlinable public static func isByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}
