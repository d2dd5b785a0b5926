/// An env file that was read: its assignments in order, and what was odd about it.
public struct EnvDocument: Sendable {
  /// The text that every range is a part of.
  public let text: EnvText
  /// The assignments in order. Of two with the same key, the later counts.
  public let entries: [EnvEntry]
  /// What was odd, in order.
  public let problems: [ReaderProblem]
  /// How many more problems there are of each kind, when there are too many to keep.
  let omitted: [ReaderProblem.Kind: Int]

  init(text: EnvText, entries: [EnvEntry], problems: [ReaderProblem], omitted: [ReaderProblem.Kind: Int] = [:]) {
    self.text = text
    self.entries = entries
    self.problems = problems
    self.omitted = omitted
  }

  /// Reads the bytes of an env file. Never fails: what cannot be read is a problem. Files are limited to 16 MiB by
  /// whoever reads them.
  public init(_ file: [UInt8], dialect: Dialect) {
    self = EnvDocument.read(file, dialect: dialect, asMeant: false)
  }

  /// Reads a file as its lines were meant, without the bugs that real readers have: a blank value stays empty, a
  /// missing quote ends with its line, `export` is no part of a name.
  public static func asMeant(_ file: [UInt8], dialect: Dialect) -> EnvDocument {
    read(file, dialect: dialect, asMeant: true)
  }

  private static func read(_ file: [UInt8], dialect: Dialect, asMeant: Bool) -> EnvDocument {
    if let utf16 = EncodingCheck.utf16Problem(file) {
      return EnvDocument(text: EnvText(file), entries: [], problems: [utf16])
    }
    let text = EnvText(file, splittingAtLoneReturns: asMeant)
    var reader = EnvReader(text, dialect: dialect, asMeant: asMeant)
    reader.read()
    let problems = reader.problems + EncodingCheck.problems(in: text) + loneReturns(in: text)
    return EnvDocument(
      text: text, entries: reader.entries, problems: problems.sorted { $0.range.start < $1.range.start },
      omitted: reader.omitted)
  }

  /// Whether what is read differs from what the lines mean.
  public var isMisread: Bool { problems.contains { $0.changesMeaning } }

  private static func loneReturns(in text: EnvText) -> [ReaderProblem] {
    // One is enough: a file from an old system has nothing else.
    let first = text.carriageReturns.first { offset in
      Int(offset) < text.bytes.count && text.bytes[Int(offset)] != Byte.lineFeed
    }
    return first.map { [ReaderProblem(.loneReturn, ByteRange(Int($0), Int($0)))] } ?? []
  }
}
