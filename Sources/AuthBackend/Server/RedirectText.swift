internal import HTTPServer

/// What a log says of a redirect URI that somebody asked for, and that may be anything.
enum RedirectText {
  /// Its scheme, host and path, without escapes. What may be a secret is left out: the query, the fragment, and who is named before the
  /// host.
  static func shown(_ uri: String) -> String {
    // Letter by letter: a mark behind a '?' makes another character of it for whoever reads characters.
    let text = decoded(uri).unicodeScalars.prefix { $0 != "?" && $0 != "#" }
    guard let at = text.lastIndex(of: "@") else { return String(Substring(text)) }
    let scheme = text.prefix { $0 != ":" && $0 != "/" && $0 != "@" }, rest = text.dropFirst(scheme.count)
    let isURL = rest.starts(with: "://".unicodeScalars), place = isURL ? rest.dropFirst(3) : rest
    // An '@' is the path's where a host stands before it. A password that nobody escaped may have a '/' in it, and stands after a ':'.
    let host = place.prefix { $0 != "/" }, before = place[..<at]
    if isURL, !host.isEmpty, !host.contains("@"), !before.contains(":") { return String(Substring(text)) }
    return (isURL ? "\(Substring(scheme))://" : "") + String(Substring(text[text.index(after: at)...]))
  }

  /// A text without escapes, and without escapes of escapes: they hide what a secret is known by. Where they do not end, nor does the text.
  private static func decoded(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<4 {
      let plain = once(bytes)
      if plain.count == bytes.count { return String(decoding: bytes, as: UTF8.self) }
      bytes = plain
    }
    return String(decoding: bytes.prefix { $0 != 0x25 }, as: UTF8.self)
  }

  private static func once(_ bytes: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = [], rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25, let high = rest.first, let low = rest.dropFirst().first,
        let escaped = PercentEncoding.byte(high, low)
      else {
        plain.append(byte)
        continue
      }
      plain.append(escaped)
      rest = rest.dropFirst(2)
    }
    return plain
  }
}
