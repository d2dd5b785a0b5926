public import Basics
internal import Glibc

/// A program made of commands: understands its command line, runs what was asked for and turns every failure into a
/// message and an exit code.
public struct Program {
  /// What runs a command.
  public typealias Handler = (Invocation, Console) throws(Failure) -> ExitCode

  let root: CommandSpec
  let handlers: [String: Handler]
  let version: () -> ProgramVersion
  let fallback: Handler

  /// A program. `handlers` are by command path, words joined by blanks; `fallback` runs the commands without one;
  /// `version` is what `--version` says.
  public init(
    root: CommandSpec, handlers: [String: Handler], version: @escaping () -> ProgramVersion,
    fallback: @escaping Handler
  ) {
    self.root = CommandSpec(
      root.name, root.summary, details: root.details, everywhere: root.everywhere,
      subcommands: root.subcommands + [Program.helpCommand])
    self.handlers = handlers
    self.version = version
    self.fallback = fallback
  }

  /// Runs the arguments that follow the program's name and returns the exit code. When the reader of stdout has gone it
  /// does not return: the process ends as SIGPIPE ends it, after the command has cleared up.
  public func run(_ arguments: ProcessArguments, environment: Environment) -> ExitCode {
    StandardDescriptors.reserve()
    // A pipe without a reader and a file at its size limit are met where they are written to, not by a signal that would
    // leave things half done.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let code = execute(arguments, environment)
    if code == FailureCode.closedPipe.exit {
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    return code
  }

  private func execute(_ given: ProcessArguments, _ environment: Environment) -> ExitCode {
    let arguments = given.words
    // An error in the command line itself is reported in the form that the line asks for, as far as it can be seen.
    let asksForJSON = arguments.prefix { $0 != "--" }.contains("--json")
    do throws(Failure) {
      switch try Parser(root).parse(try given.checked()) {
      case .help(let path):
        try Program.show(HelpText(root: root, path: path).text, Console(asJSON: asksForJSON, program: root.name))
      case .version:
        let console = Console(asJSON: asksForJSON, program: root.name)
        if asksForJSON { try console.document(version().json) } else { try console.line(version().text) }
      case .run(let invocation):
        let console = Console(invocation: invocation, environment: environment, program: root.name)
        do throws(Failure) {
          if invocation.path == [Program.helpCommand.name] { return try printHelp(invocation, console) }
          return try (handlers[invocation.path.joined(separator: " ")] ?? fallback)(invocation, console)
        } catch {
          if error.code != .closedPipe { console.report(error) }
          return error.code.exit
        }
      }
      return .done
    } catch {
      if error.code != .closedPipe { Console(asJSON: asksForJSON, program: root.name).report(error) }
      return error.code.exit
    }
  }

  private static let helpCommand = CommandSpec(
    "help", "print the help of a command, or of a topic",
    operands: [OperandSpec(.text("COMMAND"), .any, "the words of a command, or: exit-codes, reference")])

  private func printHelp(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
    if invocation.operands == ["exit-codes"] {
      try Program.show(HelpText.exitCodeText(of: root), console)
      return .done
    }
    if invocation.operands == ["reference"] {
      try Program.show(ReferenceDocument(root: root).text, console)
      return .done
    }
    guard root.descendant(invocation.operands) != nil else {
      let words = OutsideText.clean(invocation.operands.joined(separator: " "), limit: 80)
      throw Failure(.usage, "there is no command '\(words)'", hint: "see '\(root.name) help'")
    }
    try Program.show(HelpText(root: root, path: invocation.operands).text, console)
    return .done
  }

  private static func show(_ help: String, _ console: Console) throws(Failure) {
    if console.json { try console.document(["help": .string(help)]) } else { try console.write(help) }
  }
}
