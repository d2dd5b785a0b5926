internal import Basics

/// The whole command line as one Markdown document, from the declarations: docs/CLI.md. A test holds the file to it.
public struct ReferenceDocument: Sendable {
  let root: CommandSpec

  /// The reference of a program.
  public init(root: CommandSpec) { self.root = root }

  /// The document, ending in a line end.
  public var text: String {
    var out = """
      # The command line of \(root.name)

      This page is made from the declarations that `\(root.name)` parses by (`\(root.name) help reference`); scripts may depend on
      it: names, exit codes and JSON fields only ever grow.

      Results go to stdout, everything else to stderr. With `--json`, stdout is exactly one JSON document, and an error is
      one JSON object on stderr: `{"error":{"code":"vault.locked","message":"...","hint":"...","exit":21}}`. Options may
      stand before or after operands; `--` ends options; `--opt=value` and `--opt value` are the same. No option takes a
      secret as its value.

      ## Everywhere

      | option | meaning |
      |---|---|

      """
    for option in root.everywhere { out += row(option) }
    out += "\n## Exit codes\n\n| exit | meaning |\n|---|---|\n"
    for (code, meaning) in root.exitCodes { out += "| \(code.rawValue) | \(escape(meaning)) |\n" }
    out +=
      "\n## Error codes\n\nWhat `error.code` can be, and the exit code it comes with.\n\n| code | exit |\n|---|---|\n"
    for code in FailureCode.table { out += "| `\(code.name)` | \(code.exit.rawValue) |\n" }
    for command in root.subcommands { section(command, path: [command.name], into: &out) }
    return out
  }

  private func section(_ command: CommandSpec, path: [String], into out: inout String) {
    let title = ([root.name] + path).joined(separator: " ")
    out += "\n\(String(repeating: "#", count: path.count + 1)) \(title)\n\n"
    if command.subcommands.isEmpty { out += "    \(HelpText(root: root, path: path).usage)\n\n" }
    out += HelpText.sentence(command.summary) + "\n"
    if !command.details.isEmpty { out += "\n" + command.details + "\n" }
    if !command.operands.isEmpty || !command.options.isEmpty {
      out += "\n| argument | meaning |\n|---|---|\n"
      for operand in command.operands {
        out += "| `\(escape(operand.value.valueName))` | \(escape(operand.summary)) |\n"
      }
      for option in command.options { out += row(option) }
    }
    for example in command.examples { out += "\n- `\(example.line)`: \(example.purpose)" }
    if !command.examples.isEmpty { out += "\n" }
    for subcommand in command.subcommands { section(subcommand, path: path + [subcommand.name], into: &out) }
  }

  private func row(_ option: OptionSpec) -> String {
    let short = option.short.map { "-\($0), " } ?? ""
    let value = option.value.map { " \($0.valueName)" } ?? ""
    return "| `\(escape(short + "--" + option.name + value))` | \(escape(option.summary)) |\n"
  }

  // A bar would end the cell.
  private func escape(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
