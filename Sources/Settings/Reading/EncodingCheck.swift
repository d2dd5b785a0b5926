/// Whether the bytes of an env file are text in UTF-8.
enum EncodingCheck {
  /// The problem of a file in UTF-16, told by its byte order mark or by a NUL in every second byte; nil for any other.
  static func utf16Problem(_ file: [UInt8]) -> ReaderProblem? {
    let whole = ReaderProblem(.utf16, ByteRange(0, 0))
    if file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF]) { return whole }
    let sample = file.prefix(64)
    guard sample.count >= 4, file.count % 2 == 0 else { return nil }
    let pairs = sample.count / 2
    let low = (0..<pairs).count { file[2 * $0] != 0 && file[2 * $0 + 1] == 0 }
    let high = (0..<pairs).count { file[2 * $0] == 0 && file[2 * $0 + 1] != 0 }
    // Not every character of such a file need be ASCII.
    return max(low, high) * 4 >= pairs * 3 ? whole : nil
  }

  /// The first byte that is not UTF-8, and the first NUL.
  static func problems(in text: EnvText) -> [ReaderProblem] {
    var problems: [ReaderProblem] = []
    if let nul = text.bytes.offset(of: 0, from: 0, to: text.bytes.count) {
      problems.append(ReaderProblem(.nul, ByteRange(nul, nul + 1)))
    }
    if let offset = firstInvalid(text.bytes) {
      problems.append(ReaderProblem(.notUTF8, ByteRange(offset, offset + 1)))
    }
    return problems
  }

  /// The offset of the first byte that does not belong to well-formed UTF-8 (Unicode 16, table 3-7).
  static func firstInvalid(_ bytes: [UInt8]) -> Int? {
    var index = asciiPrefix(bytes, from: 0)
    while index < bytes.count {
      let first = bytes[index]
      if first < 0x80 {
        index = asciiPrefix(bytes, from: index + 1)
        continue
      }
      let (length, second): (Int, ClosedRange<UInt8>)
      switch first {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return index
      }
      guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return index }
      for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(bytes[index + offset]) { return index }
      index += length
    }
    return nil
  }

  /// The offset of the first byte from `start` on that is not ASCII, looked for eight bytes at a time.
  private static func asciiPrefix(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start
    unsafe bytes.withUnsafeBytes { buffer in
      while index + 8 <= buffer.count,
        unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
      }
    }
    while index < bytes.count, bytes[index] < 0x80 { index += 1 }
    return index
  }
}
