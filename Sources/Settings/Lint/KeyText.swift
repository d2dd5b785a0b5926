internal import Basics

/// The name of a key as it may be shown.
enum KeyText {
  /// A name made of letters, digits, `_`, `.` and `-` stays as it is up to 100 characters. Anything else may be a piece
  /// of a key or a token that lost its line, so only its beginning is shown.
  static func shown(_ name: String) -> String {
    let isName = name.utf8.allSatisfy { Byte.isWord($0) || $0 == Byte.dot || $0 == Byte.hyphen }
    return "\(OutsideText.clean(name, limit: isName ? 100 : 24))"
  }
}
