public import Basics

extension YAMLNode {
  /// What a scalar means: quoted text and blocks are strings. Nil for a sequence or a mapping.
  public var kind: YAMLScalarKind? {
    guard case .scalar(let text, let isPlain) = content else { return nil }
    return isPlain ? YAMLScalarKind(plain: text) : .string
  }

  /// Whether it is null: `null`, `~`, or nothing where a value could be.
  public var isNull: Bool { kind == .null }

  /// What it is, with an article, for messages.
  public var description: String {
    switch content {
    case .sequence: return "a list"
    case .mapping: return "a mapping"
    case .scalar:
      switch kind {
      case .null: return "null"
      case .bool: return "a boolean"
      case .integer, .float: return "a number"
      default: return "a string"
      }
    }
  }

  /// A ``FailureCode/configuration`` failure about this node.
  public func failure(_ message: String, hint: String) -> Failure { place.failure(message, hint: hint) }

  /// The text of a string. A plain number, boolean or null is none.
  public func string() throws(Failure) -> String {
    guard case .scalar(let text, _) = content, kind == .string else {
      throw failure("this must be a string, not \(description)", hint: "write text; quote what reads as something else")
    }
    return text
  }

  /// The text of a string that has some.
  public func nonEmptyString() throws(Failure) -> String {
    let text = try string()
    guard !text.isEmpty else { throw failure("this string is empty", hint: "write something, or leave the field out") }
    return text
  }

  /// The text of any scalar as it is written, except null: for values that are text whatever they look like.
  public func text() throws(Failure) -> String {
    guard case .scalar(let text, _) = content, !isNull else {
      throw failure("this must be a single value, not \(description)", hint: "write one value")
    }
    return text
  }

  /// A boolean: `true` or `false` without quotes.
  public func bool() throws(Failure) -> Bool {
    guard case .bool(let value) = kind else {
      throw failure("this must be true or false, not \(description)", hint: "write true or false, without quotes")
    }
    return value
  }

  /// A whole number in a range.
  public func integer(in range: ClosedRange<Int64> = .min ... .max) throws(Failure) -> Int64 {
    guard case .integer(let value) = kind else {
      throw failure("this must be a whole number, not \(description)", hint: "write digits, without quotes")
    }
    guard let value, range.contains(value) else {
      throw failure(
        "this number is out of range", hint: "use one from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The nodes of a sequence.
  public func items() throws(Failure) -> [YAMLNode] {
    guard case .sequence(let items) = content else {
      throw failure("this must be a list, not \(description)", hint: "write [a, b], or lines that begin with '- '")
    }
    return items
  }

  /// The texts of a sequence of strings.
  public func strings() throws(Failure) -> [String] {
    var result: [String] = []
    for item in try items() { result.append(try item.string()) }
    return result
  }

  /// The texts of a sequence of scalars, whatever they look like.
  public func texts() throws(Failure) -> [String] {
    var result: [String] = []
    for item in try items() { result.append(try item.text()) }
    return result
  }

  /// One of these words.
  public func word(of words: [String]) throws(Failure) -> String {
    let text = try text()
    guard words.contains(text) else {
      let suggestion = EditDistance.suggestion(for: text, among: words)
      throw failure(
        "'\(OutsideText.clean(text, limit: 80))' is not one of: \(words.joined(separator: ", "))",
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "use one of those")
    }
    return text
  }

  /// The entries of a mapping whatever their names are.
  public func entries() throws(Failure) -> [YAMLEntry] {
    guard case .mapping(let entries) = content else {
      throw failure("this must be a mapping, not \(description)", hint: "write lines of the form 'name: value'")
    }
    return entries
  }

  /// The fields of a mapping that may have these and no others. `subject` is what the mapping is, e.g. `a setting`.
  public func fields(of subject: String, _ known: [String]) throws(Failure) -> YAMLFields {
    let fields = try anyFields(of: subject)
    for entry in fields.entries where !known.contains(entry.name) {
      let suggestion = EditDistance.suggestion(for: entry.name, among: known)
      throw entry.place.failure(
        "\(subject) has no field '\(OutsideText.clean(entry.name, limit: 80))'",
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "the fields are: \(known.joined(separator: ", "))")
    }
    return fields
  }

  /// The fields of a mapping of which only some concern the reader.
  public func anyFields(of subject: String) throws(Failure) -> YAMLFields {
    YAMLFields(subject: subject, place: place, entries: try entries())
  }
}
