/// Bytes as text, two lower-case digits each (RFC 4648 8, base 16).
public enum Hexadecimal {
  /// The digits of bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      text.unicodeScalars.append(digit(byte >> 4))
      text.unicodeScalars.append(digit(byte & 15))
    }
  }

  private static func digit(_ value: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(value < 10 ? 0x30 + value : 0x57 + value)
  }
}
