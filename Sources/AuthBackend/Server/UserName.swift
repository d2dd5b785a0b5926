@_spi(_Unicode) internal import Swift

/// The names that people type to sign in.
public enum UserName {
  /// The form in which names are kept and compared: in lower case and in the Unicode form NFC, whichever keyboard an accent was typed on.
  public static func canonical(_ text: String) -> String {
    // Bytes of ASCII are their own normal form.
    let lower = text.lowercased()
    guard !lower.utf8.allSatisfy({ $0 < 0x80 }) else { return lower }
    return lower._nfc.reduce(into: "") { $0.unicodeScalars.append($1) }
  }
}
