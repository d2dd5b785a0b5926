public import Basics

/// Where something stands in a YAML file.
public struct YAMLPlace: Hashable, Sendable, CustomStringConvertible {
  /// The file as it was named to the parser.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// The column in Unicode scalars, from 1.
  public let column: Int

  /// No place: for what was made in code.
  public static let nowhere = YAMLPlace(file: "", line: 0, column: 0)

  /// A place in a file.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `FILE:LINE:COLUMN`, safe to print.
  public var description: String { "\(OutsideText.clean(file, limit: 300)):\(line):\(column)" }

  /// A ``FailureCode/configuration`` failure about this place. `message` must be safe to print; `hint` is the next step.
  public func failure(_ message: String, hint: String) -> Failure {
    Failure(.configuration, "\(self): \(message)", hint: hint)
  }
}

/// A value in a YAML document: a scalar, a sequence or a mapping, and where it stands. There are no anchors, aliases
/// or tags, so a document is a tree as small as its text.
public struct YAMLNode: Sendable {
  /// What a node holds.
  public enum Content: Sendable {
    /// Text. Plain text (without quotes, not a block) may mean a number, a boolean or null: ``YAMLNode/kind``.
    case scalar(String, isPlain: Bool)
    /// Nodes in order.
    case sequence([YAMLNode])
    /// Names and nodes in order; no name stands twice.
    case mapping([YAMLEntry])
  }

  /// What it holds.
  public let content: Content
  /// Where it begins.
  public let place: YAMLPlace

  /// A node.
  public init(_ content: Content, at place: YAMLPlace) {
    self.content = content
    self.place = place
  }
}

/// One name and value of a mapping.
public struct YAMLEntry: Sendable {
  /// The name.
  public let name: String
  /// Where the name stands.
  public let place: YAMLPlace
  /// The value.
  public let value: YAMLNode

  /// One name and value.
  public init(name: String, place: YAMLPlace, value: YAMLNode) {
    self.name = name
    self.place = place
    self.value = value
  }
}
