internal import Glibc

/// Numeric addresses as texts.
enum AddressText {
  /// Whether a text is a numeric IPv4 or IPv6 address.
  static func isAddress(_ text: String) -> Bool { bytes(of: text) != nil }

  /// Whom an address belongs to, for limits: itself, or of IPv6 the /64, which one household has whole.
  static func group(_ address: String) -> String {
    guard address.utf8.contains(0x3A), let bytes = bytes(of: address), bytes.count == 16 else { return address }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }

  private static func bytes(of text: String) -> [UInt8]? {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }
}
