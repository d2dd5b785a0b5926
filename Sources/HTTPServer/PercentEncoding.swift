/// Percent-encoding (RFC 3986 2.1), as targets and forms have it.
public enum PercentEncoding {
  /// A text decoded, in forms with `+` for a blank; nil when a percent sign begins no escape, or what comes out is not UTF-8.
  public static func decode(_ text: Substring, plusIsBlank: Bool) -> String? {
    // Most texts are plain.
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x25 && $0 != 0x2B }) { return String(text) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.utf8.count)
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == 0x25 {
        guard let high = rest.popFirst(), let low = rest.popFirst(), let escaped = PercentEncoding.byte(high, low)
        else { return nil }
        decoded.append(escaped)
      } else {
        decoded.append(byte == 0x2B && plusIsBlank ? 0x20 : byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// The byte that two hexadecimal digits of either case are; nil when they are none.
  public static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = digit(high), let low = digit(low) else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
