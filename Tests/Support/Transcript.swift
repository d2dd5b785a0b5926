import Foundation

/// A transcript: the command line's behaviour as a text that people read and this runs. CONTRIBUTING.md has the format.
public struct Transcript {
  /// One step.
  public enum Step {
    /// Makes a file.
    case file(path: String, text: String)
    /// Sets its mode.
    case mode(path: String, mode: String)
    /// Runs a command.
    case command(Command)
  }

  /// A command line and what it must do.
  public struct Command {
    /// The line.
    public var line: String
    var number: Int
    var output: [String] = []
    var errors: [String] = []
    /// The exit status that it must have.
    public var status: Int32 = 0
  }

  /// A transcript that cannot be read.
  public struct FormatError: Error, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String
  }

  /// The steps in order.
  public let steps: [Step]

  /// Reads a transcript.
  public init(_ text: String) throws {
    var steps: [Step] = []
    func command(_ number: Int, _ change: (inout Command) -> Void) throws {
      guard case .command(var last)? = steps.last else {
        throw FormatError(description: "line \(number): there is no command before this")
      }
      change(&last)
      steps[steps.count - 1] = .command(last)
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      let rest = String(line.dropFirst(2))
      switch line.first {
      case nil, "#": continue
      case "@":
        let words = rest.split(separator: " ").map(String.init)
        if words.count == 2, words[0] == "file" {
          steps.append(.file(path: words[1], text: ""))
        } else if words.count == 3, words[0] == "mode" {
          steps.append(.mode(path: words[2], mode: words[1]))
        } else {
          throw FormatError(description: "line \(number): neither '@ file PATH' nor '@ mode MODE PATH'")
        }
      case " ":
        guard case .file(let path, let text)? = steps.last, line.hasPrefix("  ") else {
          throw FormatError(description: "line \(number): content without a file")
        }
        steps[steps.count - 1] = .file(path: path, text: text + rest + "\n")
      case "$": steps.append(.command(Command(line: rest, number: number)))
      case ">": try command(number) { $0.output.append(rest) }
      case "!": try command(number) { $0.errors.append(rest) }
      case "=":
        guard let status = Int32(rest) else { throw FormatError(description: "line \(number): no exit status") }
        try command(number) { $0.status = status }
      default: throw FormatError(description: "line \(number): begins with none of # @ $ > ! = or two blanks")
      }
    }
    self.steps = steps
  }

  /// Runs every step in a folder of its own and returns what was not as written.
  public func problems() throws -> [String] {
    let sandbox = try Sandbox()
    var problems: [String] = []
    for step in steps {
      switch step {
      case .file(let path, let text): try sandbox.write(path, text)
      case .mode(let path, let mode):
        guard let bits = Int(mode, radix: 8) else { throw FormatError(description: "'\(mode)' is no mode") }
        try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: sandbox(path))
      case .command(let command):
        let result = try run(
          ["sh", "-c", command.line], in: sandbox, environment: ["DEAD_PORT": String(DeadPort.shared.port)])
        let place = "line \(command.number), $ \(command.line)"
        if result.status != command.status {
          problems.append("\(place)\nended with \(result.status), not \(command.status)\n\(result.errorText)")
        }
        if !matches(result.text, command.output) {
          problems.append(
            "\(place)\nprinted on stdout:\n\(result.text)instead of:\n\(command.output.joined(separator: "\n"))")
        }
        if !matches(result.errorText, command.errors) {
          problems.append(
            "\(place)\nprinted on stderr:\n\(result.errorText)instead of:\n\(command.errors.joined(separator: "\n"))")
        }
      }
    }
    return problems
  }
}

/// Whether a text has these lines. `[..]` stands for anything within a line, a line `...` for any number of lines.
func matches(_ text: String, _ expected: [String]) -> Bool {
  var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  if lines.last == "" { lines.removeLast() }
  return matchLines(lines[...], expected[...])
}

private func matchLines(_ lines: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
  guard let first = expected.first else { return lines.isEmpty }
  if first == "..." {
    return (lines.startIndex...lines.endIndex).contains { matchLines(lines[$0...], expected.dropFirst()) }
  }
  guard let line = lines.first, matchLine(line[...], first.components(separatedBy: "[..]")) else { return false }
  return matchLines(lines.dropFirst(), expected.dropFirst())
}

private func matchLine(_ line: Substring, _ parts: [String]) -> Bool {
  guard let head = parts.first, line.hasPrefix(head) else { return false }
  var rest = line.dropFirst(head.count)
  guard parts.count > 1 else { return rest.isEmpty }
  for part in parts[1..<(parts.count - 1)] {
    guard let found = rest.range(of: part) else { return false }
    rest = rest[found.upperBound...]
  }
  return rest.hasSuffix(parts[parts.count - 1])
}
