internal import Glibc

/// The bytes that mean something in an env file.
enum Byte {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let doubleQuote: UInt8 = 0x22
  static let hash: UInt8 = 0x23
  static let dollar: UInt8 = 0x24
  static let singleQuote: UInt8 = 0x27
  static let openParenthesis: UInt8 = 0x28
  static let hyphen: UInt8 = 0x2D
  static let dot: UInt8 = 0x2E
  static let colon: UInt8 = 0x3A
  static let equals: UInt8 = 0x3D
  static let backslash: UInt8 = 0x5C
  static let underscore: UInt8 = 0x5F
  static let backtick: UInt8 = 0x60
  static let openBrace: UInt8 = 0x7B
  static let closeBrace: UInt8 = 0x7D

  /// A blank within a line.
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  /// What Node's reader trims: blanks and line ends.
  static func isTrimmed(_ byte: UInt8) -> Bool { byte == space || byte == tab || byte == lineFeed }
  /// One of the three quotes that may enclose a value.
  static func isQuote(_ byte: UInt8) -> Bool { byte == doubleQuote || byte == singleQuote || byte == backtick }
  /// A letter, a digit or `_`: what `\w` matches.
  static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == underscore }
  /// An ASCII letter.
  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  /// An ASCII digit.
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension [UInt8] {
  /// The offset of the first `byte` in a part of the array; nil when there is none. The C library's search, which looks
  /// at many bytes at a time.
  func offset(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    guard start < end, start >= 0, end <= count else { return nil }
    return unsafe withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress, let found = unsafe memchr(base + start, Int32(byte), end - start) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
