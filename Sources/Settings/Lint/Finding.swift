/// A place in a file, for people and editors: 1-based lines, 1-based columns in Unicode scalars, the end exclusive.
public struct SourceRange: Hashable, Sendable {
  /// The first line.
  public let line: Int
  /// The first column.
  public let column: Int
  /// The line of the end.
  public let endLine: Int
  /// The column behind the end.
  public let endColumn: Int

  /// A place.
  public init(line: Int, column: Int, endLine: Int, endColumn: Int) {
    self.line = line
    self.column = column
    self.endLine = endLine
    self.endColumn = endColumn
  }
}

/// One thing that a linter found.
public struct Finding: Hashable, Sendable {
  /// What was looked for.
  public let rule: Rule
  /// How much it weighs; never `off`.
  public let severity: Severity
  /// The modes in which it is so.
  public let modes: [String]
  /// The file, relative to the app's folder; nil when it is about no file.
  public let file: String?
  /// Where in the file; nil when it is about something absent.
  public let range: SourceRange?
  /// The key it is about.
  public let key: String?
  /// What is wrong, without secrets.
  public let message: String
  /// What to do about it.
  public let help: String?

  /// A finding.
  public init(
    rule: Rule, severity: Severity, modes: [String], file: String?, range: SourceRange?, key: String?,
    message: String, help: String?
  ) {
    self.rule = rule
    self.severity = severity
    self.modes = modes
    self.file = file
    self.range = range
    self.key = key
    self.message = message
    self.help = help
  }
}
