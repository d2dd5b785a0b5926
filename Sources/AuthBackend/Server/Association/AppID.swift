/// Names of apps in the client registry.
public enum AppID {
  /// `TEAMID.bundle.id`: the team's ten letters and digits, and the bundle's id.
  public static func isApple(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 2 && text.utf8.count <= 255 && parts[0].utf8.count == 10
      && parts[0].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
      && parts.allSatisfy { part in !part.isEmpty && part.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D } }
  }

  /// `com.example.app`: at least two parts of letters, digits and `_` that begin with a letter.
  public static func isAndroid(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 2 && text.utf8.count <= 255
      && parts.allSatisfy { part in
        part.utf8.first.map { isLetterOrDigit($0) && !(0x30...0x39).contains($0) } ?? false
          && part.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x5F }
      }
  }

  /// The SHA-256 fingerprints of a list that is separated by blanks or commas, as `AB:CD:...`; what is none is left out.
  public static func fingerprints(_ list: String) -> [String] {
    list.split { $0 == "," || $0 == " " }.compactMap { item in
      let digits = Array(item.uppercased().filter { $0 != ":" })
      guard digits.count == 64, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
      return stride(from: 0, to: 64, by: 2).map { String(digits[$0...$0 + 1]) }.joined(separator: ":")
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
