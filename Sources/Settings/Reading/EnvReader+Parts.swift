extension EnvReader {
  /// Keeps an entry, its key as the dialect has it, and notes an odd name.
  mutating func store(_ entry: EnvEntry, isExportKept: Bool = false) {
    var entry = entry
    if dialect == .expo {
      let key = trimmedAsInJavaScript(entry.key)
      if key != entry.key { entry = EnvEntry(key: key, value: entry.value, quote: entry.quote, marks: entry.marks) }
    }
    entries.append(entry)
    let key = entry.key
    guard !key.isEmpty, !isExportKept, !isName(key) else { return }
    if bytes[Int(key.start)] == Byte.hash {
      note(.commentRead, key, key: key)
    } else if key.start == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      note(.markInKey, key, key: key)
    } else {
      note(.oddKey, key, key: key)
    }
  }

  mutating func note(_ kind: ReaderProblem.Kind, _ range: ByteRange, key: ByteRange? = nil) {
    guard problems.count < EnvReader.problemLimit else {
      omitted[kind, default: 0] += 1
      return
    }
    problems.append(ReaderProblem(kind, range, key: key))
  }

  /// Passes the end of the line.
  mutating func skipLine() {
    position = bytes.offset(of: Byte.lineFeed, from: position, to: end).map { $0 + 1 } ?? end
  }

  /// Passes blanks and line ends.
  mutating func skipTrimmed() {
    while position < end, Byte.isTrimmed(bytes[position]) { position += 1 }
  }

  /// Passes blanks.
  mutating func skipBlanks() {
    while position < end, Byte.isBlank(bytes[position]) { position += 1 }
  }

  /// The part without blanks and line ends at its ends.
  func trimmed(_ start: Int, _ end: Int) -> ByteRange {
    var start = start, end = end
    while start < end, Byte.isTrimmed(bytes[start]) { start += 1 }
    while end > start, Byte.isTrimmed(bytes[end - 1]) { end -= 1 }
    return ByteRange(start, end)
  }

  /// The key behind the word `export` and one blank (U+0020), if it begins so.
  func withoutExport(_ key: ByteRange) -> ByteRange {
    guard key.count > 7, bytes[key.indices].starts(with: [0x65, 0x78, 0x70, 0x6F, 0x72, 0x74, Byte.space]) else {
      return key
    }
    return trimmed(Int(key.start) + 7, Int(key.end))
  }

  /// A key without blanks around it and without `export`.
  static func nameRange(_ text: ArraySlice<UInt8>) -> Range<Int> {
    var start = text.startIndex, end = text.endIndex
    while start < end, Byte.isBlank(text[start]) { start += 1 }
    while end > start, Byte.isBlank(text[end - 1]) { end -= 1 }
    let word = Array("export".utf8)
    guard text[start..<end].starts(with: word), start + word.count < end, Byte.isBlank(text[start + word.count]) else {
      return start..<end
    }
    start += word.count
    while start < end, Byte.isBlank(text[start]) { start += 1 }
    return start..<end
  }

  /// Whether a quote that should close a value stands where a later line opens its own: behind `KEY=`, with more text
  /// of that value to follow.
  func opensLaterLine(_ close: Int) -> Bool {
    var index = close
    while index > 0, Byte.isBlank(bytes[index - 1]) { index -= 1 }
    guard index > 0, bytes[index - 1] == Byte.equals else { return false }
    let keyEnd = index - 1
    var keyStart = keyEnd
    while keyStart > 0, bytes[keyStart - 1] != Byte.lineFeed { keyStart -= 1 }
    let key = withoutExport(trimmed(keyStart, keyEnd))
    return !key.isEmpty && isName(key) && !textAfter(close).isEmpty
  }

  mutating func noteTextAfter(_ close: Int, key: ByteRange) {
    let text = textAfter(close)
    if !text.isEmpty { note(.textAfterQuote, text, key: key) }
  }

  /// What stands between a closing quote and the end of its line, empty when that is a comment.
  private func textAfter(_ close: Int) -> ByteRange {
    let lineEnd = bytes.offset(of: Byte.lineFeed, from: close + 1, to: end) ?? end
    let rest = trimmed(close + 1, lineEnd)
    guard !rest.isEmpty, bytes[Int(rest.start)] != Byte.hash else { return ByteRange(close + 1, close + 1) }
    return rest
  }

  /// Whether a key is made of letters, digits, `_`, `.` and `-`, as every reader takes it.
  private func isName(_ key: ByteRange) -> Bool {
    for byte in bytes[key.indices] where !Byte.isWord(byte) && byte != Byte.dot && byte != Byte.hyphen { return false }
    return true
  }

  /// A key without what JavaScript's `trim` removes: the white space of Unicode, line ends and the byte order mark.
  private func trimmedAsInJavaScript(_ key: ByteRange) -> ByteRange {
    guard !key.isEmpty else { return key }
    let first = bytes[Int(key.start)], last = bytes[Int(key.end) - 1]
    guard first >= 0x80 || last >= 0x80 || first <= Byte.space || last <= Byte.space else { return key }
    var start = Int(key.start), end = Int(key.end)
    while let length = WhiteSpace.prefixLength(bytes[start..<end]) { start += length }
    while let length = WhiteSpace.suffixLength(bytes[start..<end]) { end -= length }
    return ByteRange(start, end)
  }
}

/// What JavaScript calls white space, in UTF-8.
private enum WhiteSpace {
  static func prefixLength(_ text: ArraySlice<UInt8>) -> Int? {
    (1...3).first { $0 <= text.count && isOne(text.prefix($0)) }
  }

  static func suffixLength(_ text: ArraySlice<UInt8>) -> Int? {
    (1...3).first { $0 <= text.count && isOne(text.suffix($0)) }
  }

  private static func isOne(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let value = decoded(bytes) else { return false }
    switch value {
    case 0x09...0x0D, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: return true
    default: return false
    }
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    let bytes = bytes.map(UInt32.init)
    switch bytes.count {
    case 1: return bytes[0] < 0x80 ? bytes[0] : nil
    case 2 where bytes[0] & 0xE0 == 0xC0 && bytes[1] & 0xC0 == 0x80: return (bytes[0] & 0x1F) << 6 | bytes[1] & 0x3F
    case 3 where bytes[0] & 0xF0 == 0xE0 && bytes[1] & 0xC0 == 0x80 && bytes[2] & 0xC0 == 0x80:
      return (bytes[0] & 0x0F) << 12 | (bytes[1] & 0x3F) << 6 | bytes[2] & 0x3F
    default: return nil
    }
  }
}
