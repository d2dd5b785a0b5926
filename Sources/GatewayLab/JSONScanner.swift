internal import Basics

/// Walks over one JSON value (RFC 8259) and words its complaints as Go's `encoding/json` does, because a gateway passes
/// them on to its clients.
@safe struct JSONScanner {
  /// What a value is, by the words of Go's messages.
  enum Kind: String {
    case object, array, string, number, bool, null
  }

  struct Complaint: Error {
    let text: String
  }

  private let bytes: UnsafeRawBufferPointer
  private(set) var index = 0

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  /// The next byte that is no blank, not yet taken; nil at the end.
  mutating func peek() -> UInt8? {
    while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B && byte != 0x0C { index += 1 }
    return byte()
  }

  /// Takes the next byte that is no blank.
  mutating func next() throws(Complaint) -> UInt8 {
    guard let byte = peek() else { throw Complaint(text: "unexpected EOF") }
    index += 1
    return byte
  }

  /// Takes a whole value of any kind.
  mutating func skipValue(depth: Int = 0) throws(Complaint) -> Kind {
    // Deep enough for any login; recursion must end before the stack does.
    guard depth < 500 else { throw Complaint(text: "exceeded max depth") }
    let first = try next()
    switch first {
    case 0x7B:
      try members { (scanner, _) throws(Complaint) in _ = try scanner.skipValue(depth: depth + 1) }
      return .object
    case 0x5B:
      try skipElements(depth: depth)
      return .array
    case 0x22:
      _ = try string()
      return .string
    case 0x74: return try literal("true", .bool)
    case 0x66: return try literal("false", .bool)
    case 0x6E: return try literal("null", .null)
    case 0x2D, 0x30...0x39:
      try number(first)
      return .number
    default: throw unexpected(first, "looking for beginning of value")
    }
  }

  /// Takes the members of an object whose brace was taken; `member` takes each value, given the range of its name.
  mutating func members(
    _ member: (inout JSONScanner, Range<Int>) throws(Complaint) -> Void
  ) throws(Complaint) {
    var byte = try next()
    if byte == 0x7D { return }
    while true {
      guard byte == 0x22 else { throw unexpected(byte, "looking for beginning of object key string") }
      let name = try string()
      byte = try next()
      guard byte == 0x3A else { throw unexpected(byte, "after object key") }
      try member(&self, name)
      byte = try next()
      if byte == 0x7D { return }
      guard byte == 0x2C else { throw unexpected(byte, "after object key:value pair") }
      byte = try next()
    }
  }

  private mutating func skipElements(depth: Int) throws(Complaint) {
    if peek() == 0x5D {
      index += 1
      return
    }
    while true {
      _ = try skipValue(depth: depth + 1)
      let byte = try next()
      if byte == 0x5D { return }
      guard byte == 0x2C else { throw unexpected(byte, "after array element") }
    }
  }

  /// Takes a string whose first quote was taken; where its inside stands.
  mutating func string() throws(Complaint) -> Range<Int> {
    let start = index
    while true {
      switch try take() {
      case 0x22: return start..<(index - 1)
      case 0x5C: try skipEscape()
      case let byte where byte < 0x20: throw unexpected(byte, "in string literal")
      default: continue
      }
    }
  }

  private mutating func skipEscape() throws(Complaint) {
    let byte = try take()
    if byte == 0x75 {
      for _ in 0..<4 {
        let digit = try take()
        guard hexValue(digit) != nil else { throw unexpected(digit, "in \\u hexadecimal character escape") }
      }
    } else if !"\"\\/bfnrt".utf8.contains(byte) {
      throw unexpected(byte, "in string escape code")
    }
  }

  private mutating func literal(_ word: String, _ kind: Kind) throws(Complaint) -> Kind {
    for expected in word.utf8.dropFirst() {
      let byte = try take()
      guard byte == expected else {
        throw unexpected(byte, "in literal \(word) (expecting '\(Character(Unicode.Scalar(expected)))')")
      }
    }
    return kind
  }

  private mutating func number(_ first: UInt8) throws(Complaint) {
    var first = first
    if first == 0x2D {
      first = try take()
      guard isDigit(first) else { throw unexpected(first, "in numeric literal") }
    }
    if first != 0x30 { skipDigits() }
    if byte() == 0x2E {
      index += 1
      try digits("after decimal point in numeric literal")
    }
    if byte() == 0x65 || byte() == 0x45 {
      index += 1
      if byte() == 0x2B || byte() == 0x2D { index += 1 }
      try digits("in exponent of numeric literal")
    }
  }

  private mutating func digits(_ place: String) throws(Complaint) {
    let first = try take()
    guard isDigit(first) else { throw unexpected(first, place) }
    skipDigits()
  }

  private mutating func skipDigits() { while let byte = byte(), isDigit(byte) { index += 1 } }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private func byte() -> UInt8? { unsafe index < bytes.count ? bytes[index] : nil }

  private mutating func take() throws(Complaint) -> UInt8 {
    guard let byte = byte() else { throw Complaint(text: "unexpected EOF") }
    index += 1
    return byte
  }

  private func unexpected(_ byte: UInt8, _ place: String) -> Complaint {
    let shown =
      switch byte {
      case 0x27: #"'\''"#
      case 0x22: #"'"'"#
      case 0x5C: #"'\\'"#
      case 0x0A: #"'\n'"#
      case 0x0D: #"'\r'"#
      case 0x09: #"'\t'"#
      case 0x20...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
      case 0xA1...0xFF where byte != 0xAD: "'\(Character(Unicode.Scalar(byte)))'"
      default: "'\\x\(Hexadecimal.encode([byte]))'"
      }
    return Complaint(text: "invalid character \(shown) \(place)")
  }
}

/// The value of a hexadecimal digit.
func hexValue(_ byte: UInt8) -> UInt16? {
  switch byte {
  case 0x30...0x39: UInt16(byte - 0x30)
  case 0x41...0x46: UInt16(byte - 0x41 + 10)
  case 0x61...0x66: UInt16(byte - 0x61 + 10)
  default: nil
  }
}
