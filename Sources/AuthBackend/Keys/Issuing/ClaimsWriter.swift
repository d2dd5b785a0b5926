internal import Basics

/// Writes the claims of a token as JSON (RFC 8259), member after member.
struct ClaimsWriter {
  private(set) var bytes: [UInt8]

  init() {
    bytes = []
    bytes.reserveCapacity(640)
    bytes.append(UInt8(ascii: "{"))
  }

  mutating func add(_ name: StaticString, _ text: String) {
    begin(name)
    quote(text)
  }

  mutating func add(_ name: StaticString, _ moment: Timestamp) {
    begin(name)
    bytes.append(contentsOf: String(moment.seconds).utf8)
  }

  /// One string, or an array when there are more or none.
  mutating func add(_ name: StaticString, oneOrMore texts: [String]) {
    begin(name)
    if texts.count == 1 { return quote(texts[0]) }
    bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      quote(text)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func add(_ name: String, _ value: JSONValue) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: value.text.utf8)
  }

  /// The whole object.
  consuming func object() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  // `name` is one of ours and needs no escape.
  private mutating func begin(_ name: StaticString) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    // All but three kinds of byte stand for themselves, those of UTF-8 beyond ASCII included.
    if text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
      for byte in text.utf8 { escape(byte) }
    } else {
      bytes.append(contentsOf: text.utf8)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }
}
