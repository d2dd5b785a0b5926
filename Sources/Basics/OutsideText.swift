/// Text that came from outside - a file, a gateway, a plugin - made safe to stand inside our own output: capped, free
/// of control bytes, and without line ends, so that it never starts a line of its own (a CI log reads `::commands`).
public enum OutsideText {
  /// `text` with every control character, line separator and bidirectional override replaced by `\u{..}`, and cut to
  /// `limit` Unicode scalars (an ellipsis says so).
  public static func clean(_ text: String, limit: Int = 200) -> String {
    // Most text is short and plain.
    if text.utf8.count <= limit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return result + "\u{2026}" }
      count += 1
      if isUnsafe(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The same for a part of a text.
  public static func clean(_ text: Substring, limit: Int = 200) -> String { clean(String(text), limit: limit) }

  /// The same for bytes, which are read as UTF-8; what is not UTF-8 becomes U+FFFD.
  public static func clean(bytes: some Collection<UInt8>, limit: Int = 200) -> String {
    // No more than four bytes make one scalar, so nothing beyond can be shown.
    clean(String(decoding: bytes.prefix(limit * 4 + 4), as: UTF8.self), limit: limit)
  }

  /// Whether a scalar could steer a terminal or a log: C0, C1, DEL, line and paragraph separators, and the
  /// bidirectional controls that make text read differently from what it is.
  public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
