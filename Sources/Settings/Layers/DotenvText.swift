internal import Basics

/// Values written as an env file that the same reader gets the same values from, one line each.
public struct DotenvText {
  private let dialect: Dialect

  /// A writer for what a reader reads.
  public init(dialect: Dialect) { self.dialect = dialect }

  /// `KEY=value`, bare or quoted as the value needs; nil for a key or value that cannot stand on one line of an env file.
  public func line(key: String, value: String) -> String? {
    for text in [key, value] where text.unicodeScalars.contains(where: DotenvText.cannotStand) { return nil }
    // A CI log takes a line that begins with `::` or `##[` for a command of its own.
    guard !key.utf8.contains(Byte.lineFeed), key.utf8.first != Byte.colon, key.utf8.first != Byte.hash else {
      return nil
    }
    let isPlain = !key.isEmpty && key.utf8.allSatisfy(Byte.isWord) && value.utf8.allSatisfy(DotenvText.isBare)
    if isPlain { return "\(key)=\(value)" }
    for written in candidates(value) {
      let line = "\(key)=\(written)"
      if !line.utf8.contains(Byte.lineFeed), isReadBack(line, key: key, value: value) { return line }
    }
    return nil
  }

  /// Ways to write a value, the one that most readers agree on first.
  private func candidates(_ value: String) -> [String] {
    let escaped = dialect.expands ? DotenvText.escapingReferences(value) : value
    let broken = escaped.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    let isBare = escaped.utf8.allSatisfy(DotenvText.isBare)
    return (isBare ? [escaped] : []) + ["'\(escaped)'", "\"\(broken)\"", "`\(escaped)`", escaped]
  }

  /// What would steer a terminal or a log, other than a line end and a tab: no reader has an escape for it.
  private static func cannotStand(_ scalar: Unicode.Scalar) -> Bool {
    OutsideText.isUnsafe(scalar) && scalar != "\n" && scalar != "\t"
  }

  /// What stands bare for every reader.
  static func isBare(_ byte: UInt8) -> Bool { Byte.isWord(byte) || "./:@%+,=-".utf8.contains(byte) }

  /// Whether the line alone gives exactly this, read with another line before and after it.
  private func isReadBack(_ line: String, key: String, value: String) -> Bool {
    let other = key == "A" ? "B" : "A"
    let bytes = Array("\(other)=1\n\(line)\n\(other)=1\n".utf8)
    let document = EnvDocument(bytes, dialect: dialect)
    guard document.entries.count == 3 else { return false }
    let layers = MergedLayers(
      [EnvFile(name: "", state: .read(document, asMeant: nil))], environment: Environment([:]))
    guard let number = layers.keys.lookUp(Array(key.utf8)[...]) else { return false }
    guard dialect.expands else { return layers.fileValue(number)?.elementsEqual(value.utf8) ?? false }
    var expander = Expander(layers)
    do throws(Failure) { try expander.run() } catch { return false }
    return expander.current(number)?.elementsEqual(value.utf8) ?? false
  }

  /// A backslash before each `$` that would be a reference, and what else keeps the text as it is when read.
  private static func escapingReferences(_ value: String) -> String {
    let bytes = Array(value.utf8)
    guard bytes.contains(Byte.dollar) else { return value }
    var scanner = ReferenceScanner(bytes[...])
    var starts: Set<Int> = []
    var position = 0
    while let reference = scanner.next(from: position) {
      starts.insert(reference.isEscaped ? reference.range.lowerBound + 1 : reference.range.lowerBound)
      // What follows the name may be taken for a default; all of it stays text once the reference is escaped.
      position = reference.range.upperBound
    }
    var out: [UInt8] = []
    var backslashes = 0
    for (index, byte) in bytes.enumerated() {
      if byte == Byte.dollar {
        // An escaped reference loses one backslash, and any `\$` another in the end.
        let needed = starts.contains(index) ? (backslashes == 0 ? 1 : 2) : (backslashes == 0 ? 0 : 1)
        out.append(contentsOf: repeatElement(Byte.backslash, count: needed))
      }
      backslashes = byte == Byte.backslash ? backslashes + 1 : 0
      out.append(byte)
    }
    return String(decoding: out, as: UTF8.self)
  }
}
