/// The one look through a file that finds what ``SecretText`` hides.
///
/// It reads a file as several readers and people would at once: a lone carriage return and a NUL may end a line or join
/// two, `NAME: value` may be an assignment, a quote may go over line ends. A secret's line is hidden from its value on;
/// what follows it is hidden too, until its quote is closed and a line is clearly something else.
struct SecretScan {
  /// What the lines above say about the next.
  private enum Carry: Equatable {
    case none
    /// A secret was there, which may go on.
    case behindSecret
    /// A secret was there whose quote is open.
    case inQuote(UInt8)
  }

  private let document: EnvDocument
  private let catalog: Catalog
  private let names: SecretNames
  let bytes: [UInt8]
  /// Per line, the offset of the first hidden byte; the line's end for none.
  private(set) var starts: [UInt32]
  private var carry = Carry.none
  /// The first hidden byte of the line that is looked at.
  private var from = 0
  /// Whether there can be a secret's name on it.
  private var canName = false
  /// The offset of the last unescaped quote of each kind in the file, so that one without an end is known at once.
  private var lastQuotes: [UInt8: Int] = [:]

  init(_ document: EnvDocument, catalog: Catalog) {
    self.document = document
    self.catalog = catalog
    names = SecretNames(catalog)
    bytes = document.text.bytes
    let text = document.text
    starts = text.lineStarts.indices.map { text.range(ofLine: $0 + 1).end }
  }

  mutating func run() {
    for index in bytes.indices where Byte.isQuote(bytes[index]) && !isEscaped(index) {
      lastQuotes[bytes[index]] = index
    }
    for entry in document.entries where isSecret(entry) {
      hide(ByteRange(SecretScan.valueStart(of: entry, in: bytes), Int(entry.value.end)))
    }
    for part in SecretArmour.parts(of: bytes) { hide(part) }
    for line in starts.indices { scan(line) }
  }

  /// Hides a part, on each of its lines to the end.
  private mutating func hide(_ range: ByteRange) {
    for line in document.text.line(of: range.start)...document.text.line(of: range.end) {
      starts[line - 1] = min(starts[line - 1], max(range.start, document.text.lineStarts[line - 1]))
    }
  }

  private mutating func scan(_ line: Int) {
    let range = document.text.range(ofLine: line + 1)
    from = Int(starts[line])
    canName = names.canStand(on: range, of: bytes)
    var start = Int(range.start)
    var returns = document.text.returns(in: range)
    let hasNul = bytes.offset(of: 0, from: start, to: Int(range.end)) != nil
    // The parts that a carriage return or a NUL was meant to end.
    while true {
      while let next = returns.first, Int(next) <= start { returns.removeFirst() }
      var end = returns.first.map { Int($0) } ?? Int(range.end)
      if hasNul, let nul = bytes.offset(of: 0, from: start, to: end) { end = nul }
      scan(part: start..<end, line: range)
      guard end < Int(range.end) else { break }
      start = bytes[end] == 0 ? end + 1 : end
    }
    if from < Int(range.end) {
      starts[line] = UInt32(from)
      if carry == .none { carry = .behindSecret }
    }
  }

  private mutating func scan(part: Range<Int>, line: ByteRange) {
    if case .inQuote(let quote) = carry {
      from = min(from, part.lowerBound)
      guard let close = unescaped(quote, in: part) else { return }
      carry = .behindSecret
      return open(in: (close + 1)..<part.upperBound)
    }
    guard let first = part.first(where: { !Byte.isBlank(bytes[$0]) }) else { return }
    let isBehind = carry == .behindSecret
    let name = canName ? names.first(in: part, line: line, of: document.text) : nil
    if let name { from = min(from, name) }
    if bytes[first] == Byte.hash {
      if isBehind { from = min(from, part.lowerBound) }
      if name != nil, carry == .none { carry = .behindSecret }
      return
    }
    if isBehind {
      // What a carriage return parted may be one value.
      let isParted = part.lowerBound > line.start || document.text.isSplit(at: part.lowerBound - 1)
      let equals = bytes.offset(of: Byte.equals, from: first, to: part.upperBound)
      if !isParted, let equals, isClear(first..<equals, value: (equals + 1)..<part.upperBound) {
        carry = .none
      } else if isParted || equals != nil || !isWord(first..<(name ?? first)) {
        from = min(from, first)
      }
    }
    if let token = names.tokenStart(in: bytes[part]) { from = min(from, token) }
    if from < part.upperBound, name != nil || isBehind && carry != .none {
      open(in: max(from - 1, part.lowerBound)..<part.upperBound)
    }
    if name != nil, carry == .none { carry = .behindSecret }
  }

  /// Looks for a value whose quote is not closed on this part of the line but later.
  private mutating func open(in part: Range<Int>) {
    var index = part.lowerBound
    while index < part.upperBound {
      guard bytes[index] == Byte.equals || bytes[index] == Byte.colon else {
        index += 1
        continue
      }
      index += 1
      while index < part.upperBound, Byte.isBlank(bytes[index]) { index += 1 }
      guard index < part.upperBound, Byte.isQuote(bytes[index]) else { continue }
      let quote = bytes[index]
      if let close = unescaped(quote, in: (index + 1)..<part.upperBound) {
        index = close + 1
      } else if lastQuotes[quote] ?? 0 > index {
        carry = .inQuote(quote)
        return
      } else {
        carry = .behindSecret
        return
      }
    }
  }

  /// Whether a part is a plain name and a sign.
  private func isWord(_ range: Range<Int>) -> Bool {
    range.count > 1 && bytes[range].dropLast().allSatisfy { Byte.isWord($0) || $0 == Byte.dot || $0 == Byte.hyphen }
  }

  /// Whether a line behind a secret is an assignment of its own, and not a piece of base64 with its `=` at the end.
  private func isClear(_ name: Range<Int>, value: Range<Int>) -> Bool {
    let key = EnvReader.nameRange(bytes[name])
    guard let first = bytes[key].first, Byte.isLetter(first) || first == Byte.underscore,
      bytes[key].allSatisfy({ Byte.isWord($0) || $0 == Byte.dot || $0 == Byte.hyphen })
    else { return false }
    if bytes[value].contains(where: { !Byte.isBlank($0) && $0 != Byte.equals }) { return true }
    // Not `QUJDREVGRw==`, but `API_URL=`.
    return bytes[key].contains(Byte.underscore) || !bytes[key].contains { (0x61...0x7A).contains($0) }
      || catalog.setting(String(decoding: bytes[key], as: UTF8.self)) != nil
  }

  private func unescaped(_ quote: UInt8, in range: Range<Int>) -> Int? {
    var position = range.lowerBound
    while let found = bytes.offset(of: quote, from: position, to: range.upperBound) {
      if !isEscaped(found) { return found }
      position = found + 1
    }
    return nil
  }

  private func isEscaped(_ index: Int) -> Bool { index > 0 && bytes[index - 1] == Byte.backslash }

  private func isSecret(_ entry: EnvEntry) -> Bool {
    catalog.isSecret(
      name: document.text.string(entry.key), value: String(decoding: entry.bytes(in: document.text), as: UTF8.self))
  }

  /// Where to hide an assignment from: its value, with the quote, or what looks like one in its name.
  private static func valueStart(of entry: EnvEntry, in bytes: [UInt8]) -> Int {
    KeyText.valueStart(in: bytes[entry.key.indices]) ?? Int(entry.value.start) - (entry.quote == 0 ? 0 : 1)
  }
}
