/// A recursive-descent reader; every byte is looked at before it is used.
struct JSONParser {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  mutating func document() -> JSON? {
    guard let value = value(depth: 0) else { return nil }
    skipSpace()
    return at == bytes.count ? value : nil
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = next, UInt32(byte) == character.value else { return false }
    at += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let text = word.description.utf8
    guard bytes[at...].starts(with: text) else { return false }
    at += text.count
    return true
  }

  private mutating func value(depth: Int) -> JSON? {
    skipSpace()
    guard depth < 64, let byte = next else { return nil }
    switch byte {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSON? {
    at += 1
    var members: [String: JSON] = [:]
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\""), let name = string() else { return nil }
      skipSpace()
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      members[name] = value
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array(depth: Int) -> JSON? {
    at += 1
    var items: [JSON] = []
    skipSpace()
    if take("]") { return .array(items) }
    while true {
      guard let item = value(depth: depth + 1) else { return nil }
      items.append(item)
      skipSpace()
      if take("]") { return .array(items) }
      guard take(",") else { return nil }
    }
  }

  // -? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?
  private mutating func number() -> JSON? {
    let start = at
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    func digits(_ parser: inout JSONParser) -> Bool {
      guard isDigit(parser.next) else { return false }
      while isDigit(parser.next) { parser.at += 1 }
      return true
    }
    _ = take("-")
    if take("0") { if isDigit(next) { return nil } } else if !digits(&self) { return nil }
    if take("."), !digits(&self) { return nil }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      if !digits(&self) { return nil }
    }
    return .number(String(decoding: bytes[start..<at], as: UTF8.self))
  }

  private mutating func string() -> String? {
    at += 1
    var text: [UInt8] = []
    while let byte = next {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"): guard escape(into: &text) else { return nil }
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape(into text: inout [UInt8]) -> Bool {
    guard let byte = next else { return false }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let scalar = unicodeEscape() else { return false }
      text.append(contentsOf: String(scalar).utf8)
    default: return false
    }
    return true
  }

  // After `\u`. A pair of surrogates is one scalar; a lone one is an error.
  private mutating func unicodeEscape() -> Unicode.Scalar? {
    guard let first = hex() else { return nil }
    guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
    guard take("\\"), take("u"), let second = hex(), (0xDC00...0xDFFF).contains(second) else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func hex() -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }
}
