/// Something in an env file that its reader passes over in silence, or reads as nobody means it.
public struct ReaderProblem: Hashable, Sendable {
  /// What it is.
  public enum Kind: Hashable, Sendable {
    /// A line without `=`, which is dropped.
    case noEquals
    /// A line without a name before its `=`.
    case noKey
    /// A name that no program can mean, e.g. `MY KEY`.
    case oddKey
    /// A comment that is read as an assignment, because it is indented and follows a comment or a quoted value.
    case commentRead
    /// `export KEY=` with nothing behind it: `export ` stays part of the name.
    case exportKept
    /// A byte order mark that stays in the first name.
    case markInKey
    /// A blank behind `=`, which makes the next line the value.
    case blankAfterEquals
    /// An opening quote that is never closed.
    case neverClosed
    /// An opening quote that pairs with the opening quote of a later line, which is lost.
    case closedByLaterLine
    /// Text behind a closing quote, which is dropped.
    case textAfterQuote
    /// A carriage return without a line feed, which joins two lines.
    case loneReturn
    /// Bytes that are not UTF-8.
    case notUTF8
    /// A NUL byte.
    case nul
    /// A file in UTF-16, of which nothing can be read.
    case utf16
  }

  /// What it is.
  public let kind: Kind
  /// Where it is; empty when it is about the whole file.
  public let range: ByteRange
  /// The key it is about.
  public let key: ByteRange?

  init(_ kind: Kind, _ range: ByteRange, key: ByteRange? = nil) {
    self.kind = kind
    self.range = range
    self.key = key
  }

  /// Whether what the line was meant to say is something else than what is read.
  var changesMeaning: Bool {
    switch kind {
    case .commentRead, .exportKept, .markInKey, .blankAfterEquals, .neverClosed, .closedByLaterLine, .loneReturn: true
    case .noKey: true
    default: false
    }
  }
}
