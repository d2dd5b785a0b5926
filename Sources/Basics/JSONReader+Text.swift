extension JSONReader {
  var next: UInt8? { unsafe at < bytes.count ? bytes[at] : nil }

  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    at += 1
    return true
  }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  // At the first quote. Empty when the text is not kept.
  mutating func string(keeping: Bool) throws(JSONFault) -> String {
    at += 1
    var text: [UInt8] = []
    while let byte = next {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        let scalar = try escape()
        if keeping { text.append(contentsOf: String(scalar).utf8) }
      case 0..<0x20: throw JSONFault(.syntax, at: at - 1)
      default: if keeping { text.append(byte) }
      }
    }
    throw JSONFault(.syntax, at: at)
  }

  // After the backslash.
  private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
    guard let byte = next else { throw JSONFault(.syntax, at: at) }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw JSONFault(.syntax, at: at - 1)
    }
  }

  // After `\u`. A pair of surrogates is one scalar; a lone one is an error.
  private mutating func unicodeEscape() throws(JSONFault) -> Unicode.Scalar {
    let start = at
    let first = try hex()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw JSONFault(.syntax, at: start) }
    let second = try hex()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONFault(.syntax, at: start) }
    return scalar
  }

  private mutating func hex() throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next else { throw JSONFault(.syntax, at: at) }
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: throw JSONFault(.syntax, at: at)
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }

  // How many bytes the well-formed UTF-8 sequence at an index has (table 3-7 of the Unicode standard); 0 for none.
  func sequenceLength(at index: Int) -> Int {
    func byte(_ offset: Int) -> UInt8 { unsafe index + offset < bytes.count ? bytes[index + offset] : 0 }
    func follows(_ offset: Int) -> Bool { (0x80...0xBF).contains(byte(offset)) }
    switch (byte(0), byte(1)) {
    case (0...0x7F, _): return 1
    case (0xC2...0xDF, 0x80...0xBF): return 2
    case (0xE0, 0xA0...0xBF), (0xE1...0xEC, 0x80...0xBF), (0xED, 0x80...0x9F), (0xEE...0xEF, 0x80...0xBF):
      return follows(2) ? 3 : 0
    case (0xF0, 0x90...0xBF), (0xF1...0xF3, 0x80...0xBF), (0xF4, 0x80...0x8F):
      return follows(2) && follows(3) ? 4 : 0
    default: return 0
    }
  }
}
