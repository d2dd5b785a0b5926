internal import Basics

/// The name of a key as it may be shown.
enum KeyText {
  /// A name made of letters, digits, `_`, `.` and `-` stays as it is up to 100 characters. Anything else may be a piece
  /// of a key or a token that lost its line, so only its beginning is shown, and nothing of what looks like a value.
  static func shown(_ name: String) -> String {
    let isName = name.utf8.allSatisfy { Byte.isWord($0) || $0 == Byte.dot || $0 == Byte.hyphen }
    if isName { return OutsideText.clean(name, limit: 100) }
    let bytes = Array(name.utf8)
    guard let end = valueStart(in: bytes[...]) else { return OutsideText.clean(name, limit: 24) }
    return OutsideText.clean(String(decoding: bytes[..<end], as: UTF8.self), limit: 24) + "\u{2026}"
  }

  /// Where a name that is none goes over into what may be a value, as in `NAME: value`; nil when it does not.
  static func valueStart(in name: ArraySlice<UInt8>) -> Int? {
    guard let word = name.firstIndex(where: Byte.isWord) else { return nil }
    return name[word...].firstIndex { $0 == Byte.colon || $0 == Byte.dollar || $0 == Byte.hash || Byte.isQuote($0) }
  }
}
