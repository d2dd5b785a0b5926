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
    for entry in entries(on: line) where isSecret(document, entry) {
      let value = Int(entry.value.start) - (entry.quote == 0 ? 0 : 1)
      start = min(start, max(value, Int(line.start)))
    }
    // The line as it was meant, in case another swallowed it.
    let bytes = Array(document.text.bytes[line.indices])
    let alone = EnvDocument.asMeant(bytes, dialect: .expo)
    for entry in alone.entries where isSecret(alone, entry) {
      start = min(start, Int(line.start) + Int(entry.value.start) - (entry.quote == 0 ? 0 : 1))
    }
    if alone.entries.isEmpty, let from = firstHidden(withoutEquals: bytes) {
      start = min(start, Int(line.start) + from)
    }
    return start < Int(line.end) ? start..<Int(line.end) : nil
  }

  private func isSecret(_ document: EnvDocument, _ entry: EnvEntry) -> Bool {
    catalog.isSecret(
      name: document.text.string(entry.key), value: String(decoding: entry.bytes(in: document.text), as: UTF8.self))
  }

  /// The entries of which a part is on a line.
  private func entries(on line: ByteRange) -> ArraySlice<EnvEntry> {
    let entries = document.entries
    var low = 0, high = entries.count
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].key.start < line.end { low = middle + 1 } else { high = middle }
    }
    var first = low
    // Entries do not overlap, so only the last before the line can reach into it, and few stand on one.
    while first > 0, entries[first - 1].key.start >= line.start || entries[first - 1].value.end >= line.start {
      first -= 1
    }
    return entries[first..<low]
  }

  /// Of a line without an assignment: a comment and a bare name are shown, of `NAME: value` the name. Anything else may
  /// be a piece of a secret that lost its line.
  private func firstHidden(withoutEquals line: [UInt8]) -> Int? {
    var index = 0
    while index < line.count, Byte.isBlank(line[index]) { index += 1 }
    guard index < line.count, line[index] != Byte.hash else { return nil }
    let start = index
    while index < line.count, Byte.isWord(line[index]) || Byte.isBlank(line[index]) { index += 1 }
    if index == line.count { return index - start <= 32 ? nil : start }
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
