internal import Basics

/// The text that `--help` prints, from the declarations alone.
public struct HelpText: Sendable {
  let root: CommandSpec
  let path: [String]
  let command: CommandSpec

  /// The help of the command at a path; that of the program when there is no such command.
  public init(root: CommandSpec, path: [String]) {
    self.root = root
    self.command = root.descendant(path) ?? root
    self.path = root.descendant(path) == nil ? [] : path
  }

  /// The usage line, e.g. `mfsctl vault logout [--wipe] [--dry-run]`.
  public var usage: String {
    var words = [root.name] + path
    if !command.subcommands.isEmpty { words.append("COMMAND ...") }
    for option in command.options {
      let word = "--\(option.name)" + (option.value.map { " \($0.valueName)" } ?? "")
      words.append((option.isRequired ? word : "[\(word)]") + (option.repeats ? "..." : ""))
    }
    for operand in command.operands {
      let name = operand.value.valueName
      switch operand.arity {
      case .one: words.append(name)
      case .optional: words.append("[\(name)]")
      case .any: words.append("[\(name)...]")
      case .some: words.append("\(name)...")
      }
    }
    if let child = command.childCommand { words.append("-- \(child)") }
    return words.joined(separator: " ")
  }

  /// The whole help, ending in a line end. Lines are at most 100 columns, since terminals differ.
  public var text: String {
    var out = HelpText.wrap("Usage: " + usage, indent: 0, hanging: 7)
    out += "\n" + HelpText.wrap(HelpText.sentence(command.summary), indent: 0)
    let lines = command.details.split(separator: "\n", omittingEmptySubsequences: false)
    for paragraph in lines.split(whereSeparator: \.isEmpty) {
      out += "\n" + HelpText.wrap(paragraph.joined(separator: " "), indent: 0)
    }
    section("Commands", command.subcommands.map { ($0.name, $0.summary) }, into: &out)
    section("Operands", command.operands.map { ($0.value.valueName, $0.summary) }, into: &out)
    section("Options", command.options.map(row), into: &out)
    section("Everywhere", root.everywhere.map(row), into: &out)
    if !command.examples.isEmpty {
      out += "\nExamples:\n"
      for example in command.examples { out += "  \(example.line)\n      \(example.purpose)\n" }
    }
    return out
  }

  /// The exit codes of a program and their meanings, one a line.
  public static func exitCodeText(of root: CommandSpec) -> String {
    root.exitCodes.map { code, meaning in
      let number = String(code.rawValue)
      return wrap(String(repeating: " ", count: 5 - number.count) + number + "  " + meaning, indent: 0, hanging: 7)
    }.joined()
  }

  private func row(_ option: OptionSpec) -> (String, String) {
    let short = option.short.map { "-\($0), " } ?? ""
    return (short + "--\(option.name)" + (option.value.map { " \($0.valueName)" } ?? ""), option.summary)
  }

  private func section(_ title: String, _ rows: [(String, String)], into out: inout String) {
    guard !rows.isEmpty else { return }
    out += "\n\(title):\n"
    let width = min(rows.lazy.map(\.0.count).max() ?? 0, 28)
    for (name, summary) in rows {
      if name.count > width {
        out += "  \(name)\n" + HelpText.wrap(summary, indent: width + 4)
      } else {
        let head = "  " + name + String(repeating: " ", count: width - name.count + 2)
        out += HelpText.wrap(head + summary, indent: 0, hanging: width + 4)
      }
    }
  }

  // A summary is a phrase for lists; alone it is a sentence.
  static func sentence(_ text: String) -> String {
    guard let first = text.first else { return text }
    return first.uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  /// Breaks a text at blanks so that no line is longer than 100 columns; later lines are indented by `hanging`.
  static func wrap(_ text: String, indent: Int, hanging: Int? = nil) -> String {
    let lead = text.prefix { $0 == " " }
    var lines: [String] = []
    var line = String(repeating: " ", count: indent) + lead
    var isEmpty = true
    for word in text.dropFirst(lead.count).split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, line.count + 1 + word.count > 100 {
        while line.last == " " { line.removeLast() }
        lines.append(line)
        line = String(repeating: " ", count: hanging ?? indent)
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    lines.append(line)
    return lines.joined(separator: "\n") + "\n"
  }
}
