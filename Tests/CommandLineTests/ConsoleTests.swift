import Basics
import Glibc
import Testing

@testable import CommandLine

private func invocation(_ line: String) throws -> Invocation {
  let program = CommandSpec("tool", "a tool", subcommands: [CommandSpec("do", "does it")])
  guard case .run(let invocation) = try Parser(program).parse(line.split(separator: " ").map(String.init)) else {
    throw Failure(.bug, "'\(line)' is not a command to run")
  }
  return invocation
}

@Suite struct ConsoleTests {
  /// A program may have global options of its own; then it has no others.
  @Test func aProgramHasGlobalOptionsOfItsOwn() throws {
    let program = CommandSpec(
      "tool", "a tool", everywhere: [.value("config", .file(), "the configuration"), .flag("json", "as JSON")],
      subcommands: [CommandSpec("do", "does it")])
    guard case .run(let invocation) = try Parser(program).parse(["--config", "c", "do", "--json"]) else {
      Issue.record("no command to run")
      return
    }
    #expect(invocation.value("config") == "c" && invocation.flag("json"))
    #expect(throws: Failure(.usage, "")) { try Parser(program).parse(["do", "--profile", "x"]) }
    #expect(HelpText(root: program, path: []).text.contains("--config FILE"))
    #expect(!HelpText(root: program, path: []).text.contains("--profile"))
  }

  /// What goes wrong is said in the program's own name, and the hint stands below the words.
  @Test func failuresAreToldInTheProgramsName() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let console = Console(
      invocation: try invocation("do"), environment: Environment([:]), program: "tool", output: ends[1], errors: ends[1]
    )
    console.report(Failure(.usage, "no", hint: "yes"))
    console.warn("well")
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = read(ends[0], &bytes, bytes.count)
    close(ends[0])
    #expect(
      String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "tool: no\n      yes\ntool: warning: well\n")
  }

  private static let terminal = ["TERM": "xterm-256color"]

  /// On a terminal, colour is on unless one of three ways turns it off. An empty NO_COLOR is none (no-color.org).
  @Test(
    arguments: [
      ("do", terminal, true), ("do", [:], true), ("do", ["NO_COLOR": ""], true),
      ("do --no-color", terminal, false), ("--no-color do", terminal, false),
      ("do", ["NO_COLOR": "1", "TERM": "xterm-256color"], false), ("do", ["TERM": "dumb"], false),
    ] as [(String, [String: String], Bool)])
  func colourIsForTerminalsThatTakeIt(line: String, variables: [String: String], isOn: Bool) throws {
    // Either end of a pseudo-terminal is a terminal to isatty(3).
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    defer { close(terminal) }
    let environment = Environment(variables)
    let console = Console(invocation: try invocation(line), environment: environment, output: terminal)
    #expect(console.color == isOn && console.outputIsTerminal)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    let piped = Console(invocation: try invocation(line), environment: environment, output: ends[1])
    #expect(!piped.color && !piped.outputIsTerminal)
  }

  /// Notes give way to --quiet, details need --verbose, and results, warnings and failures come always.
  @Test(arguments: [("do", "note\n"), ("do --quiet", ""), ("do --verbose", "note\ndetail\n")])
  func theErrorStreamSaysAsMuchAsAskedFor(line: String, said: String) throws {
    var results: [Int32] = [0, 0]
    var errors: [Int32] = [0, 0]
    try #require(pipe(&results) == 0 && pipe(&errors) == 0)
    let console = Console(
      invocation: try invocation(line), environment: Environment([:]), output: results[1], errors: errors[1])
    try console.line("result")
    console.note("note")
    console.detail("detail")
    console.warn("warning")
    console.report(Failure(.notFound, "message", hint: "hint"))
    close(results[1])
    close(errors[1])
    #expect(try text(results[0]) == "result\n")
    #expect(
      try text(errors[0]) == said + "mfsctl: warning: warning\nmfsctl: message\n        hint\n")
  }

  @Test func aFailureAsJSONIsOneObject() throws {
    var errors: [Int32] = [0, 0]
    try #require(pipe(&errors) == 0)
    let console = Console(
      invocation: try invocation("do --json"), environment: Environment([:]), errors: errors[1])
    console.report(Failure(.vaultLocked, "a \"b\"\n", hint: nil))
    close(errors[1])
    #expect(
      try text(errors[0])
        == #"{"error":{"code":"vault.locked","message":"a \"b\"\n","hint":null,"exit":21}}"# + "\n")
  }

  /// A secret is one more member of an object, however many others there are; what would need an escape is not printed.
  @Test(
    arguments: [([], #"{"secret":"mfs_1"}"#), ([.init("a", "}")], #"{"a":"}","secret":"mfs_1"}"#)]
      as [([JSONValue.Member], String)])
  func aDocumentMayHaveASecret(members: [JSONValue.Member], expected: String) throws {
    var results: [Int32] = [0, 0]
    try #require(pipe(&results) == 0)
    let console = Console(invocation: try invocation("do --json"), environment: Environment([:]), output: results[1])
    func say(_ secret: String) -> FailureCode? {
      do {
        try Array(secret.utf8).withUnsafeBytes { try console.document(members, secret: "secret", $0) }
        return nil
      } catch { return (error as? Failure)?.code }
    }
    for wrong in ["a\"b", "a\\b", "a\nb", "\u{e4}"] { #expect(say(wrong) == .bug) }
    #expect(say("mfs_1") == nil)
    close(results[1])
    #expect(try text(results[0]) == expected + "\n")
  }

  private func text(_ descriptor: Int32) throws -> String {
    let file = FileDescriptor(owning: descriptor)
    return String(decoding: try #require(try file.readToEnd(limit: 1 << 16)), as: UTF8.self)
  }
}
