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

  /// A to Z in lower case, and all else as it is.
  static func lowerASCII(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether bytes of UTF-8, such as a password's, are a canonical name in whichever case. They become no text for it, which would stay in
  /// memory.
  static func isName(_ bytes: UnsafeRawBufferPointer, _ name: String) -> Bool {
    var codec = UTF8(), left = unsafe bytes.makeIterator(), letters = name.unicodeScalars.makeIterator()
    while case .scalarValue(let scalar) = unsafe codec.decode(&left) {
      for letter in scalar.properties.lowercaseMapping.unicodeScalars where letters.next() != letter { return false }
    }
    return letters.next() == nil
  }
}
