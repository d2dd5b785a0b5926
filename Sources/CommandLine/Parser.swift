public import Basics

/// Reads a command line by the declarations of a tree of commands.
public struct Parser: Sendable {
  /// The program itself, with its commands.
  public let root: CommandSpec

  /// A parser for a program.
  public init(_ root: CommandSpec) { self.root = root }

  /// Understands the arguments after the program's name. Throws ``FailureCode/usage``, with what was probably meant.
  public func parse(_ arguments: [String]) throws(Failure) -> Request {
    var state = State(root: root)
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        try state.takeAfterDashes(Array(rest))
        break
      }
      if word.hasPrefix("--") {
        try state.takeLongOption(word, &rest)
      } else if word.hasPrefix("-"), word != "-" {
        try state.takeShortOption(word, &rest)
      } else {
        try state.takeWord(word)
      }
    }
    return try state.finish()
  }
}

private struct State {
  let root: CommandSpec
  var path: [String] = []
  var command: CommandSpec
  var options: [String: [String]] = [:]
  var operands: [String] = []
  var childArguments: [String] = []

  init(root: CommandSpec) {
    self.root = root
    command = root
  }

  var title: String { ([root.name] + path).joined(separator: " ") }

  mutating func takeLongOption(_ word: String, _ rest: inout ArraySlice<String>) throws(Failure) {
    let body = word.dropFirst(2)
    // By bytes: with a combining mark behind it, an '=' is another character.
    let equals = body.utf8.firstIndex(of: 0x3D)
    let name = String(body[..<(equals ?? body.endIndex)])
    guard let option = (command.options + root.everywhere).first(where: { $0.name == name }) else {
      throw unknownOption("--" + name, name: name)
    }
    let attached = equals.map { String(body[body.utf8.index(after: $0)...]) }
    try take(option, shown: "--" + name, attached: attached, &rest)
  }

  mutating func takeShortOption(_ word: String, _ rest: inout ArraySlice<String>) throws(Failure) {
    guard word.count == 2, let letter = word.last,
      let option = (command.options + root.everywhere).first(where: { $0.short == letter })
    else { throw unknownOption(word, name: String(word.dropFirst())) }
    try take(option, shown: word, attached: nil, &rest)
  }

  private mutating func take(
    _ option: OptionSpec, shown: String, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(Failure) {
    guard let value = option.value else {
      guard attached == nil else { throw usage("\(shown) takes no value") }
      options[option.name] = []
      return
    }
    guard let given = attached ?? rest.popFirst() else { throw usage("\(shown) needs a value: \(value.valueName)") }
    try value.check(given, for: shown)
    guard option.repeats || options[option.name] == nil else { throw usage("\(shown) is given twice") }
    options[option.name, default: []].append(given)
  }

  mutating func takeWord(_ word: String) throws(Failure) {
    guard !command.subcommands.isEmpty else {
      operands.append(word)
      return
    }
    guard let next = command.subcommands.first(where: { $0.name == word }) else {
      let suggestion = EditDistance.suggestion(for: word, among: command.subcommands.lazy.map(\.name))
      throw Failure(
        .usage, "there is no command '\(path.map { $0 + " " }.joined())\(OutsideText.clean(word, limit: 60))'",
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "see '\(title) --help'")
    }
    // Only global options may stand before a command's name, and those stay valid.
    path.append(word)
    command = next
  }

  mutating func takeAfterDashes(_ words: [String]) throws(Failure) {
    if command.childCommand != nil {
      childArguments = words
    } else {
      for word in words { try takeWord(word) }
    }
  }

  func finish() throws(Failure) -> Request {
    if options["help"] != nil { return .help(path: path) }
    if options["version"] != nil { return .version }
    guard command.subcommands.isEmpty else {
      if path.isEmpty { return .help(path: []) }
      throw usage("\(title) needs a command: \(command.subcommands.map(\.name).joined(separator: ", "))")
    }
    for option in command.options where option.isRequired && options[option.name] == nil {
      throw usage("\(title) needs --\(option.name) \(option.value?.valueName ?? ""): \(option.summary)")
    }
    try checkOperands()
    if let child = command.childCommand, childArguments.isEmpty {
      throw usage("\(title) needs a command to run: -- \(child)")
    }
    if options["quiet"] != nil, options["verbose"] != nil { throw usage("--quiet and --verbose contradict each other") }
    var options = self.options
    if options["json"] != nil, command.options.contains(where: { $0.name == "format" }) {
      if let format = options["format"]?.last, format != "json" {
        throw usage("--json and --format \(format) contradict each other")
      }
      options["format"] = ["json"]
    }
    return .run(
      Invocation(
        path: path, command: command, options: options, operands: operands, childArguments: childArguments))
  }

  private func checkOperands() throws(Failure) {
    var left = operands[...]
    for operand in command.operands {
      let wanted =
        switch operand.arity {
        case .one, .optional: left.prefix(1)
        case .any, .some: left
        }
      if wanted.isEmpty, operand.arity == .one || operand.arity == .some {
        throw usage("\(title) needs \(operand.value.valueName): \(operand.summary)")
      }
      for word in wanted { try operand.value.check(word, for: operand.value.valueName) }
      left = left.dropFirst(wanted.count)
    }
    if let extra = left.first { throw usage("\(title) does not take '\(OutsideText.clean(extra, limit: 60))'") }
  }

  private func unknownOption(_ shown: String, name: String) -> Failure {
    let known = (command.options + root.everywhere).map(\.name)
    let suggestion = EditDistance.suggestion(for: name, among: known)
    return Failure(
      .usage, "\(title) has no option '\(OutsideText.clean(shown, limit: 60))'",
      hint: suggestion.map { "did you mean '--\($0)'?" } ?? "see '\(title) --help'")
  }

  private func usage(_ message: String) -> Failure { Failure(.usage, message, hint: "see '\(title) --help'") }
}
