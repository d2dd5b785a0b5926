/// Which part of a line of an env file is hidden when the line is shown.
struct LineMask {
  private let catalog: Catalog
  private let document: EnvDocument
  /// Lines between the `BEGIN` and `END` of a key that lost its quotes.
  private let armoured: [ByteRange]
  private let armourStarts: [UInt32]

  init(_ document: EnvDocument, catalog: Catalog) {
    self.catalog = catalog
    self.document = document
    armoured = LineMask.armour(in: document.text.bytes)
    armourStarts = armoured.map(\.start)
  }

  /// The hidden part of the bytes `line` of the text; nil when all of it may be shown. When in doubt it is hidden, up to
  /// the end of the line, since a comment or text behind a quote may be the end of a password.
  func hidden(in line: ByteRange) -> Range<Int>? {
    let before = armourStarts.lowerBound(of: line.end)
    if before > 0, armoured[before - 1].end > line.start { return line.indices }
    var start = Int(line.end)
    let entries = entries(on: line)
    for entry in entries where isSecret(document, entry) {
      start = min(start, max(LineMask.start(of: entry, in: document), Int(line.start)))
    }
    let isBare = entries.isEmpty && firstHidden(withoutEquals: document.text.bytes[line.indices]) == nil
    if isBare, isBehindSecret(line) { start = min(start, Int(line.start)) }
    if !isPlain(line, entries) { start = min(start, startAsMeant(in: line)) }
    return start < Int(line.end) ? start..<Int(line.end) : nil
  }

  /// Whether a line is one assignment and nothing else, so that it alone would be read the same.
  private func isPlain(_ line: ByteRange, _ entries: ArraySlice<EnvEntry>) -> Bool {
    let text = document.text
    guard entries.count == 1, let entry = entries.first, entry.key.start >= line.start, entry.value.end <= line.end,
      text.bytes[Int(line.start)..<Int(entry.key.start)].allSatisfy(Byte.isBlank)
    else { return false }
    // A quote that is not closed is part of the value.
    let isOpen = entry.quote == 0 && !entry.value.isEmpty && Byte.isQuote(text.bytes[Int(entry.value.start)])
    return !isOpen && text.returns(in: line).isEmpty
      && text.bytes.offset(of: 0, from: Int(line.start), to: Int(line.end)) == nil
  }

  /// Where to hide from on the line as it was meant, in case another swallowed it. A lone carriage return, which is gone
  /// from the text, and a NUL were meant to end a line.
  private func startAsMeant(in line: ByteRange) -> Int {
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    var returns = document.text.returns(in: line)
    for offset in line.indices {
      if let next = returns.first, Int(next) == offset {
        bytes.append(Byte.lineFeed)
        offsets.append(offset)
        while let next = returns.first, Int(next) == offset { returns.removeFirst() }
      }
      let byte = document.text.bytes[offset]
      bytes.append(byte == 0 ? Byte.lineFeed : byte)
      offsets.append(offset)
    }
    offsets.append(Int(line.end))
    let alone = EnvDocument.asMeant(bytes, dialect: .expo)
    var start = Int(line.end)
    for entry in alone.entries where isSecret(alone, entry) {
      start = min(start, offsets[LineMask.start(of: entry, in: alone)])
    }
    for part in bytes.split(separator: Byte.lineFeed) where !part.contains(Byte.equals) {
      if let from = firstHidden(withoutEquals: part) { start = min(start, offsets[from]) }
    }
    return start
  }

  /// Where to hide an assignment from: its value, with the quote, or what looks like one in its name.
  private static func start(of entry: EnvEntry, in document: EnvDocument) -> Int {
    KeyText.valueStart(in: document.text.bytes[entry.key.indices])
      ?? Int(entry.value.start) - (entry.quote == 0 ? 0 : 1)
  }

  /// Whether a line that sets nothing follows a secret, which may go on there.
  private func isBehindSecret(_ line: ByteRange) -> Bool {
    let bytes = document.text.bytes
    guard bytes[line.indices].first(where: { !Byte.isBlank($0) }) != Byte.hash else { return false }
    let before = document.entries.partitioningIndex { $0.key.start >= line.start }
    return before > 0 && isSecret(document, document.entries[before - 1])
  }

  private func isSecret(_ document: EnvDocument, _ entry: EnvEntry) -> Bool {
    catalog.isSecret(
      name: document.text.string(entry.key), value: String(decoding: entry.bytes(in: document.text), as: UTF8.self))
  }

  /// The entries of which a part is on a line.
  private func entries(on line: ByteRange) -> ArraySlice<EnvEntry> {
    let entries = document.entries
    let low = entries.partitioningIndex { $0.key.start >= line.end }
    var first = low
    // Entries do not overlap, so only the last before the line can reach into it, and few stand on one.
    while first > 0, entries[first - 1].key.start >= line.start || entries[first - 1].value.end >= line.start {
      first -= 1
    }
    return entries[first..<low]
  }

  /// Of a line without an assignment: a comment and a bare name are shown, of `NAME: value` the name. Anything else may
  /// be a piece of a secret that lost its line.
  private func firstHidden(withoutEquals line: ArraySlice<UInt8>) -> Int? {
    var index = line.startIndex
    while index < line.endIndex, Byte.isBlank(line[index]) { index += 1 }
    guard index < line.endIndex, line[index] != Byte.hash else { return nil }
    let start = index
    while index < line.endIndex, Byte.isWord(line[index]) || Byte.isBlank(line[index]) { index += 1 }
    if index == line.endIndex { return index - start <= 32 ? nil : start }
    return line[index] == Byte.colon && index - start <= 64 ? index + 1 : start
  }

  private static func armour(in bytes: [UInt8]) -> [ByteRange] {
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

extension Array {
  /// The first index from which on a condition holds, for an array that it splits in two.
  fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
