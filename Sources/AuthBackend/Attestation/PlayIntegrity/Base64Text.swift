internal import JOSE

/// Base64 with the ordinary alphabet and padding (RFC 4648 4), read strictly, as app and consoles hand over keys and objects.
public enum Base64Text {
  /// The bytes that a text means; nil when it is not base64.
  public static func decode(_ text: String) -> [UInt8]? {
    guard let plain = urlForm(Array(text.utf8)) else { return nil }
    return unsafe plain.withUnsafeBytes { unsafe Base64URL.decode($0) }
  }

  // The same text in the alphabet of URLs and without padding, which must be right.
  private static func urlForm(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    var plain = text.dropLast(padding)
    for index in plain.indices {
      switch plain[index] {
      case UInt8(ascii: "+"): plain[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): plain[index] = UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
      default: break
      }
    }
    return Array(plain)
  }
}
