/// A `scope` (RFC 6749 3.3).
enum ScopeText {
  /// The scopes of a list, each once, in order; nil when it has a character that none has, or too many.
  static func split(_ text: String) -> [String]? {
    guard text.utf8.count <= 2_000, text.utf8.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E && $0 != 0x22 && $0 != 0x5C })
    else {
      return nil
    }
    var seen: Set<Substring> = []
    return text.split(separator: " ").filter { seen.insert($0).inserted }.map(String.init)
  }
}
