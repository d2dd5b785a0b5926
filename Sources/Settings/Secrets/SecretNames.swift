/// Finds the names of secrets in a line, however it went wrong, and what looks like a secret by itself.
struct SecretNames {
  private let catalog: Catalog
  private let hasMarked: Bool
  /// No name is longer.
  private static let reach = 128

  init(_ catalog: Catalog) {
    self.catalog = catalog
    hasMarked = catalog.settings.contains(where: \.secret)
  }

  /// Whether a line, or a name that ends in it, can be that of a secret at all, so that most need no closer look.
  func canStand(on line: ByteRange, of bytes: [UInt8]) -> Bool {
    hasMarked || SecretSigns.mayName(bytes[max(0, Int(line.start) - SecretNames.reach)..<Int(line.end)])
  }

  /// The first offset behind a secret's name and its sign, `=` or `:`, in a part of a line; or behind a name that stands
  /// before more text without a sign. Nil when there is none. A name may begin before the part, since a carriage return
  /// may have been put into it.
  func first(in part: Range<Int>, line: ByteRange, of text: EnvText) -> Int? {
    let bytes = text.bytes
    var previous = part.lowerBound
    for index in part where bytes[index] == Byte.equals || bytes[index] == Byte.colon {
      if isName(bytes[previous..<index]) || isGlued(text, from: Int(line.start), to: index) { return index + 1 }
      previous = index + 1
    }
    return previous == part.lowerBound ? behindName(in: bytes[part]) : nil
  }

  /// `PASSWORD hunter2`: behind the name, if there is more.
  private func behindName(in part: ArraySlice<UInt8>) -> Int? {
    guard SecretSigns.mayName(part) else { return nil }
    for word in part.split(whereSeparator: Byte.isBlank) where isSecret(word) {
      return part[word.endIndex...].contains { !Byte.isBlank($0) } ? word.endIndex : nil
    }
    return nil
  }

  /// Whether text before a sign names a secret: all of it, or its last word.
  private func isName(_ text: ArraySlice<UInt8>) -> Bool {
    let near = text.suffix(SecretNames.reach)
    guard hasMarked || SecretSigns.mayName(near) else { return false }
    if isSecret(near) { return true }
    let end = near.lastIndex { Byte.isWord($0) }.map { $0 + 1 } ?? near.endIndex
    let name = near[..<end]
    let start = name.lastIndex { !Byte.isWord($0) && $0 != Byte.dot && $0 != Byte.hyphen }.map { $0 + 1 }
    return isSecret(name[(start ?? name.startIndex)...])
  }

  /// Whether the letters and digits before a sign, whatever stands between them, end in the name of a secret.
  ///
  /// A name may have lost its line's end to a carriage return, or have its sign on the next line.
  private func isGlued(_ text: EnvText, from start: Int, to end: Int) -> Bool {
    var letters: [UInt8] = []
    var index = end
    let least = max(0, end - SecretNames.reach / 2)
    while index > least {
      index -= 1
      let byte = text.bytes[index]
      if index < start, byte == Byte.lineFeed, !letters.isEmpty, !text.isSplit(at: index) { break }
      if Byte.isLetter(byte) {
        letters.append(byte & 0xDF)
      } else if Byte.isDigit(byte), !letters.isEmpty {
        letters.append(byte)
      }
      // No such name is longer.
      if letters.count == 16 { break }
    }
    return SecretSigns.endsInSecret(reversed: letters)
  }

  private func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: name, as: UTF8.self)
    return SecretSigns.isSecret(name: text) || hasMarked && catalog.setting(text)?.secret ?? false
  }

  /// Of a line without `=`: a comment and a bare name are shown, of `NAME: value` the name. Anything else may be a piece of
  /// a secret that lost its line.
  static func oddStart(in line: ArraySlice<UInt8>) -> Int? {
    var index = line.startIndex
    while index < line.endIndex, Byte.isBlank(line[index]) { index += 1 }
    guard index < line.endIndex, line[index] != Byte.hash else { return nil }
    let start = index
    while index < line.endIndex, Byte.isWord(line[index]) || Byte.isBlank(line[index]) { index += 1 }
    if index == line.endIndex { return index - start <= 32 ? nil : start }
    return line[index] == Byte.colon && index - start <= 64 ? index + 1 : start
  }

  /// Where a word begins that has the form of a service's key, a token or a URL with a password.
  func tokenStart(in part: ArraySlice<UInt8>) -> Int? {
    var start = part.startIndex
    while start < part.endIndex {
      let end = part[start...].firstIndex(where: SecretNames.endsWord) ?? part.endIndex
      if end - start >= 8, SecretSigns.mayBeKind(part[start..<end]),
        SecretSigns.kind(of: String(decoding: part[start..<end], as: UTF8.self)) != nil
      {
        return start
      }
      start = end + 1
    }
    return nil
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    Byte.isBlank(byte) || Byte.isQuote(byte) || byte == Byte.equals || byte == 0x2C || byte == 0x3B
  }
}

/// Keys that lost their quotes.
enum SecretArmour {
  /// The parts between a `BEGIN` and its `END`, without which they go on to the end of the file.
  static func parts(of bytes: [UInt8]) -> [ByteRange] {
    var found: [ByteRange] = []
    var position = 0
    while let start = offset(of: "-----BEGIN ", in: bytes, from: position) {
      let end = offset(of: "-----END ", in: bytes, from: start) ?? bytes.count
      found.append(ByteRange(start, end))
      position = end
    }
    return found
  }

  private static func offset(of text: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
    let wanted = Array(text.description.utf8)
    var position = start
    while let dash = bytes.offset(of: Byte.hyphen, from: position, to: bytes.count) {
      if bytes[dash...].starts(with: wanted) { return dash }
      position = dash + 1
    }
    return nil
  }
}
