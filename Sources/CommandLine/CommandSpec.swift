internal import Basics

/// One command as data. Parsing, help, did-you-mean and the reference are all made from it, so that what
/// is documented is what is understood.
public struct CommandSpec: Sendable {
  /// The word that names it, e.g. `logout`.
  public let name: String
  /// One line for lists of commands, without a full stop.
  public let summary: String
  /// Paragraphs for its own help; empty when the summary says it all.
  public let details: String
  /// Its own options; the global ones are understood everywhere.
  public let options: [OptionSpec]
  /// Its operands, in order. Only the last may repeat.
  public let operands: [OperandSpec]
  /// Its subcommands. A command has either these or operands.
  public let subcommands: [CommandSpec]
  /// What stands for the words after `--` when they are another program's command line, e.g. `CMD...`; nil when `--`
  /// only ends the options.
  public let childCommand: String?
  /// The options that every command of a program understands; they are those of its root.
  public let everywhere: [OptionSpec]
  /// Worked examples: a command line and what it does.
  public let examples: [Example]

  /// A command line to copy, and what it does.
  public struct Example: Sendable {
    /// The command line, beginning with `mfsctl`.
    public let line: String
    /// What it does, as a phrase.
    public let purpose: String

    /// A worked example.
    public init(_ line: String, _ purpose: String) {
      self.line = line
      self.purpose = purpose
    }
  }

  /// A command that does something.
  public init(
    _ name: String, _ summary: String, details: String = "", options: [OptionSpec] = [],
    operands: [OperandSpec] = [], childCommand: String? = nil, examples: [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.options = options
    self.operands = operands
    self.subcommands = []
    self.childCommand = childCommand
    self.everywhere = []
    self.examples = examples
  }

  /// A command that only groups others. `everywhere` counts for the root of a program alone.
  public init(
    _ name: String, _ summary: String, details: String = "", everywhere: [OptionSpec] = globalOptions,
    subcommands: [CommandSpec]
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.options = []
    self.operands = []
    self.subcommands = subcommands
    self.childCommand = nil
    self.everywhere = everywhere
    self.examples = []
  }

  /// The exit codes of the program that this is the root of, with their meanings.
  var exitCodes: [(code: ExitCode, meaning: String)] { ExitCode.table(of: name, runsPrograms: runsPrograms) }

  private var runsPrograms: Bool { childCommand != nil || subcommands.contains { $0.runsPrograms } }

  /// The command that a path of words leads to, itself for the empty path; nil when there is none.
  public func descendant(_ path: some Collection<String>) -> CommandSpec? {
    guard let first = path.first else { return self }
    return subcommands.first { $0.name == first }?.descendant(path.dropFirst())
  }
}

/// One option as data.
public struct OptionSpec: Sendable {
  /// Its long name without the dashes, e.g. `key-file`.
  public let name: String
  /// A one-letter form, e.g. `h`.
  public let short: Character?
  /// What its value is; nil for a flag.
  public let value: ValueSpec?
  /// Whether it may be given more than once.
  public let repeats: Bool
  /// Whether the command cannot do without it.
  public let isRequired: Bool
  /// One line of help, without a full stop.
  public let summary: String

  /// A flag.
  public static func flag(_ name: String, short: Character? = nil, _ summary: String) -> OptionSpec {
    OptionSpec(name: name, short: short, value: nil, repeats: false, isRequired: false, summary: summary)
  }

  /// An option with a value.
  public static func value(
    _ name: String, _ value: ValueSpec, repeats: Bool = false, required: Bool = false, _ summary: String
  ) -> OptionSpec {
    OptionSpec(name: name, short: nil, value: value, repeats: repeats, isRequired: required, summary: summary)
  }
}

/// What the value of an option or operand is: its name in help, what completes it and which values are right.
public struct ValueSpec: Sendable {
  /// What a value may be.
  public enum Kind: Sendable, Equatable {
    /// Any text.
    case text
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// One of these words.
    case choice([String])
  }

  /// The name in help, e.g. `FILE`.
  public let valueName: String
  /// What it may be.
  public let kind: Kind

  /// Any text.
  public static func text(_ valueName: String) -> ValueSpec { ValueSpec(valueName: valueName, kind: .text) }
  /// The path of a file.
  public static func file(_ valueName: String = "FILE") -> ValueSpec {
    ValueSpec(valueName: valueName, kind: .file)
  }
  /// The path of a folder.
  public static func folder(_ valueName: String = "DIR") -> ValueSpec {
    ValueSpec(valueName: valueName, kind: .folder)
  }
  /// A whole number in a range.
  public static func integer(_ valueName: String, _ range: ClosedRange<Int>) -> ValueSpec {
    ValueSpec(valueName: valueName, kind: .integer(range))
  }
  /// One of these words.
  public static func choice(_ words: [String]) -> ValueSpec {
    ValueSpec(valueName: words.joined(separator: "|"), kind: .choice(words))
  }

  /// Checks a value that was given for `subject`. Throws ``FailureCode/usage``.
  func check(_ value: String, for subject: String) throws(Failure) {
    var shown: String { OutsideText.clean(value, limit: 80) }
    switch kind {
    case .text, .file, .folder: return
    case .integer(let range):
      guard let number = Int(value), range.contains(number) else {
        throw Failure(
          .usage, "\(subject) is '\(shown)', not a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
    case .choice(let words):
      guard words.contains(value) else {
        let suggestion = EditDistance.suggestion(for: value, among: words)
        throw Failure(
          .usage, "\(subject) is '\(shown)', not one of: \(words.joined(separator: ", "))",
          hint: suggestion.map { "did you mean '\($0)'?" })
      }
    }
  }
}

/// One operand as data.
public struct OperandSpec: Sendable {
  /// How many of it there may be.
  public enum Arity: Sendable {
    /// Exactly one.
    case one
    /// None or one.
    case optional
    /// Any number.
    case any
    /// One or more.
    case some
  }

  /// What it is and its name in help.
  public let value: ValueSpec
  /// How many of it there may be.
  public let arity: Arity
  /// One line of help, without a full stop.
  public let summary: String

  /// An operand.
  public init(_ value: ValueSpec, _ arity: Arity = .one, _ summary: String) {
    self.value = value
    self.arity = arity
    self.summary = summary
  }
}
