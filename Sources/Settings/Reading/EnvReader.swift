/// Node's reader, byte by byte: the algorithm of `util.parseEnv` as Node 22 and 24 have it, its bugs included, in linear
/// time. It notes where what is read is not what was meant; with `asMeant` it reads what was meant instead.
struct EnvReader {
  /// Nobody reads more problems of one file than this; a hostile file must not fill the memory with them.
  static let problemLimit = 50_000

  let bytes: [UInt8]
  let dialect: Dialect
  let asMeant: Bool
  let end: Int
  var position = 0
  var entries: [EnvEntry] = []
  var problems: [ReaderProblem] = []
  /// How many more there are of each kind.
  var omitted: [ReaderProblem.Kind: Int] = [:]
  /// Per quote, an offset from which on there is none left, so that no file makes the search for one quadratic.
  private var exhausted: (single: Int, double: Int, backtick: Int) = (.max, .max, .max)

  init(_ text: EnvText, dialect: Dialect, asMeant: Bool) {
    bytes = text.bytes
    self.dialect = dialect
    self.asMeant = asMeant
    var end = bytes.count
    while end > 0, Byte.isTrimmed(bytes[end - 1]) { end -= 1 }
    self.end = end
    entries.reserveCapacity(end / 32)
  }

  mutating func read() {
    skipTrimmed()
    if asMeant, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = max(position, 3) }
    while position < end { readStatement() }
  }

  private mutating func readStatement() {
    if asMeant { skipBlanks() }
    guard position < end else { return }
    let first = bytes[position]
    // A line that follows a comment or a quoted value is not trimmed, hence `.commentRead`.
    if first == Byte.lineFeed || first == Byte.hash { return skipLine() }
    let start = position
    var index = position
    while index < end, bytes[index] != Byte.equals, bytes[index] != Byte.lineFeed { index += 1 }
    guard index < end, bytes[index] == Byte.equals else {
      note(.noEquals, trimmed(start, index))
      position = min(index + 1, end)
      return skipTrimmed()
    }
    position = index + 1
    var key = trimmed(start, index)
    if position >= end || bytes[position] == Byte.lineFeed {
      return storeEmpty(key)
    }
    let behindEquals = position
    if asMeant { skipBlanks() } else { skipTrimmed() }
    guard !key.isEmpty else {
      note(.noKey, ByteRange(start, index + 1))
      // Node goes on with what stands behind the `=`, as if it were a line of its own.
      return asMeant ? skipLine() : ()
    }
    key = withoutExport(key)
    guard position < end, bytes[position] != Byte.lineFeed else {
      return store(EnvEntry(key: key, value: ByteRange(position, position)))
    }
    noteSwallowedLine(key, behindEquals: behindEquals)
    if Byte.isQuote(bytes[position]) { readQuoted(key) } else { readBare(key) }
  }

  /// `KEY=` and the end of the line: Node stores it before it looks for `export`.
  private mutating func storeEmpty(_ key: ByteRange) {
    let value = ByteRange(position, position)
    if key.isEmpty { note(.noKey, ByteRange(position - 1, position)) }
    let named = withoutExport(key)
    if named != key { note(.exportKept, key, key: named) }
    store(EnvEntry(key: asMeant ? named : key, value: value), isExportKept: named != key)
  }

  private mutating func noteSwallowedLine(_ key: ByteRange, behindEquals: Int) {
    // A comment on the next line is cut off again, so nothing is lost.
    guard bytes[position] != Byte.hash,
      let lineEnd = bytes.offset(of: Byte.lineFeed, from: behindEquals, to: position)
    else { return }
    note(.blankAfterEquals, ByteRange(behindEquals, lineEnd), key: key)
  }

  private mutating func readBare(_ key: ByteRange) {
    let start = position
    var marks: EnvEntry.Marks = []
    var index = start
    while index < end, bytes[index] != Byte.lineFeed, bytes[index] != Byte.hash {
      if bytes[index] == Byte.dollar { marks.insert(.dollar) }
      index += 1
    }
    store(EnvEntry(key: key, value: trimmed(start, index), marks: marks))
    position = index
    skipLine()
    skipTrimmed()
  }

  private mutating func readQuoted(_ key: ByteRange) {
    let open = position, quote = bytes[open]
    guard let close = closingQuote(quote, after: open) else {
      let lineEnd = bytes.offset(of: Byte.lineFeed, from: open, to: end) ?? end
      note(.neverClosed, ByteRange(open, lineEnd), key: key)
      return readUnclosed(key, open: open, lineEnd: lineEnd)
    }
    let lineEnd = bytes.offset(of: Byte.lineFeed, from: open, to: close)
    if let lineEnd, opensLaterLine(close) {
      note(.closedByLaterLine, ByteRange(open, lineEnd), key: key)
      if asMeant { return readUnclosed(key, open: open, lineEnd: lineEnd) }
    } else {
      noteTextAfter(close, key: key)
    }
    var marks: EnvEntry.Marks = []
    for index in open + 1..<close {
      if bytes[index] == Byte.dollar { marks.insert(.dollar) }
      if quote == Byte.doubleQuote, bytes[index] == Byte.backslash { marks.insert(.escapes) }
    }
    store(EnvEntry(key: key, value: ByteRange(open + 1, close), quote: quote, marks: marks))
    position = close + 1
    skipLine()
  }

  /// Without a closing quote the value is the whole line, the quote, blanks and comments included.
  private mutating func readUnclosed(_ key: ByteRange, open: Int, lineEnd: Int) {
    let value = asMeant ? trimmed(open + 1, lineEnd) : ByteRange(open, lineEnd)
    let hasDollar = bytes.offset(of: Byte.dollar, from: open, to: lineEnd) != nil
    store(EnvEntry(key: key, value: value, marks: hasDollar ? .dollar : []))
    position = min(lineEnd + 1, end)
    skipTrimmed()
  }

  private mutating func closingQuote(_ quote: UInt8, after open: Int) -> Int? {
    let known =
      switch quote {
      case Byte.singleQuote: exhausted.single
      case Byte.doubleQuote: exhausted.double
      default: exhausted.backtick
      }
    guard open < known else { return nil }
    if let found = bytes.offset(of: quote, from: open + 1, to: end) { return found }
    switch quote {
    case Byte.singleQuote: exhausted.single = open
    case Byte.doubleQuote: exhausted.double = open
    default: exhausted.backtick = open
    }
    return nil
  }
}
