/// Which parts of an env file may be pieces of a secret, whatever became of its lines: on each line, all from some place
/// on. When in doubt it is hidden, since a comment or text behind a quote may be the end of a password.
///
/// Everything that is printed of a file asks here: excerpts, names in messages, values and names of `env resolve`.
struct SecretText {
  private let document: EnvDocument
  private let catalog: Catalog
  /// Per line, the offset of the first hidden byte; the line's end for none.
  private let starts: [UInt32]

  /// Looks through the whole file once, in linear time.
  init(_ document: EnvDocument, catalog: Catalog) {
    self.document = document
    self.catalog = catalog
    var scan = SecretScan(document, catalog: catalog)
    scan.run()
    starts = scan.starts
  }

  /// The hidden part of the bytes `line` of the text, which is one line; nil when all of it may be shown. Of a line that
  /// is no assignment more is hidden than what is known to be a secret's.
  func hidden(in line: ByteRange) -> Range<Int>? {
    let bytes = document.text.bytes
    var start = Int(starts[document.text.line(of: line.start) - 1])
    let nuls = line.indices.filter { bytes[$0] == 0 }
    let ends = document.text.returns(in: line).map { Int($0) } + nuls + [Int(line.end)]
    var from = Int(line.start)
    for end in ends.sorted() where end > from {
      let part = bytes[from..<end]
      if !part.contains(Byte.equals), let odd = SecretNames.oddStart(in: part) { start = min(start, odd) }
      from = end < Int(line.end) && bytes[end] == 0 ? end + 1 : end
    }
    return start < Int(line.end) ? start..<Int(line.end) : nil
  }

  /// Whether a part of the text reaches into what is hidden.
  func hides(_ range: ByteRange) -> Bool {
    guard !range.isEmpty else { return false }
    let first = document.text.line(of: range.start), last = document.text.line(of: range.end - 1)
    return (first...last).contains { starts[$0 - 1] < min(range.end, document.text.range(ofLine: $0).end) }
  }

  /// Whether a name must not be shown, since it may be a piece of a secret. One that the catalog declares is none, and
  /// neither is one that could be declared.
  func hidesName(_ key: ByteRange) -> Bool {
    guard hides(key) else { return false }
    let bytes = document.text.bytes[key.indices]
    if bytes.starts(with: "EXPO_PUBLIC_".utf8) {
      return !bytes.allSatisfy { (0x41...0x5A).contains($0) || Byte.isDigit($0) || $0 == Byte.underscore }
    }
    return catalog.setting(document.text.string(key)) == nil
  }

  /// Whether an entry's value, or its name, may hold a piece of a secret.
  func hides(_ entry: EnvEntry) -> Bool { hides(entry.value) || hidesName(entry.key) }

  /// A name as it may be shown.
  func shownName(_ key: ByteRange) -> String {
    hidesName(key) ? Resolution.mask : KeyText.shown(document.text.string(key))
  }
}
