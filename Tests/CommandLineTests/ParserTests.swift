import Basics
import Testing

@testable import CommandLine

private let tree = CommandSpec(
  "tool", "a tool",
  subcommands: [
    CommandSpec(
      "store", "keeps things",
      subcommands: [
        CommandSpec(
          "put", "puts one in",
          options: [
            .flag("trim", "drops the line end"), .value("size", .integer("N", 1...9), "how big"),
            .value("format", .choice(["text", "json", "github"]), "how to print"),
            .value("rule", .text("RULE"), repeats: true, "a rule"),
          ],
          operands: [
            OperandSpec(.text("NAME"), .one, "the name"), OperandSpec(.file(), .any, "the files"),
          ]),
        CommandSpec("get", "gets one out", operands: [OperandSpec(.text("NAME"), .optional, "the name")]),
      ]),
    CommandSpec("exec", "runs a program", childCommand: "CMD..."),
  ])

private func parse(_ line: String) throws(Failure) -> Request {
  try Parser(tree).parse(line.split(separator: " ").map(String.init))
}

private func run(_ line: String) throws -> Invocation {
  guard case .run(let invocation) = try parse(line) else { throw Failure(.bug, "'\(line)' is not a command to run") }
  return invocation
}

@Suite struct ParserTests {
  @Test func optionsStandBeforeOrAfterOperands() throws {
    for line in ["store put --size 3 a b", "store put a --size=3 b", "--profile p store put a b --size 3"] {
      let invocation = try run(line)
      #expect(invocation.path == ["store", "put"])
      #expect(invocation.operands == ["a", "b"])
      #expect(invocation.integer("size") == 3)
    }
    #expect(try run("--profile p store get").profile() == ProfileName("p"))
    #expect(try run("store get").profile() == .default)
    // An '=' with a combining mark behind it is an '=' to whoever typed it.
    #expect(try run("store get --profile=\u{301}x").value("profile") == "\u{301}x")
  }

  @Test func dashesEndTheOptions() throws {
    #expect(try run("store put -- --trim").operands == ["--trim"])
    #expect(try run("store get -").operands == ["-"])
    #expect(try run("exec -- ls --help -- x").childArguments == ["ls", "--help", "--", "x"])
  }

  @Test func optionsRepeatOnlyWhenDeclaredSo() throws {
    #expect(try run("store put a --rule x --rule=y").values("rule") == ["x", "y"])
    #expect(throws: Failure(.usage, "")) { try run("store put a --size 1 --size 2") }
  }

  @Test func jsonMeansFormatJSON() throws {
    #expect(try run("store put a --json").value("format") == "json")
    #expect(try run("store put a --json --format json").value("format") == "json")
    #expect(throws: Failure(.usage, "")) { try run("store put a --json --format text") }
    #expect(try run("store get --json").value("format") == nil)
  }

  @Test(arguments: [
    ("stroe put a", "did you mean 'store'?"), ("store pet a", "did you mean 'put'?"),
    ("store put a --trm", "did you mean '--trim'?"), ("store put a --format jsn", "did you mean 'json'?"),
    ("store put a --vebrose", "did you mean '--verbose'?"),
  ]) func saysWhatWasProbablyMeant(line: String, hint: String) {
    do {
      _ = try parse(line)
      Issue.record("'\(line)' was accepted")
    } catch {
      #expect(error == Failure(.usage, ""))
      #expect(error.hint == hint)
    }
  }

  @Test(
    arguments: [
      "store", "store put", "store get a b", "store put a --size", "store put a --size 10", "store put a --size x",
      "store put a --trim=1", "store put a -x", "store put a -hh", "exec", "exec --", "exec ls",
      "store get --quiet --verbose", "store put a --size=", "--", "--=", "store put a --",
    ].filter { $0 != "--" && $0 != "store put a --" }) func refusesWrongUsage(line: String)
  {
    #expect(throws: Failure(.usage, "")) { try parse(line) }
  }

  @Test func helpAndVersionStandAnywhere() throws {
    guard case .help(["store", "put"]) = try parse("store put --help") else { throw Failure(.bug, "no help") }
    guard case .help(["store"]) = try parse("store -h") else { throw Failure(.bug, "no help") }
    guard case .help([]) = try parse("") else { throw Failure(.bug, "no help") }
    guard case .version = try parse("store get --version") else { throw Failure(.bug, "no version") }
  }

  @Test func hostileWordsNeverReachTheMessageRaw() {
    do {
      _ = try Parser(tree).parse(["\u{1B}[31m\n::error::x"])
      Issue.record("accepted")
    } catch {
      #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
    }
  }
}

@Suite struct HelpTests {
  @Test func showsEveryOptionAndOperand() {
    let text = HelpText(root: tree, path: ["store", "put"]).text
    #expect(text.hasPrefix("Usage: tool store put [--trim] [--size N]"))
    for word in ["--rule RULE", "NAME", "[FILE...]", "drops the line end", "--profile NAME", "-h, --help"] {
      #expect(text.contains(word))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func exitCodesAreListed() {
    let text = HelpText.exitCodeText(of: tree)
    #expect(text.contains("   21  vault locked") && text.contains("   70  a bug in tool\n") && !text.contains("mfsctl"))
    #expect(text.split(separator: "\n").count >= ExitCode.table(of: "tool", runsPrograms: true).count)
    #expect(text.contains("  125  `exec` commands: tool itself failed"))
    #expect(ReferenceDocument(root: tree).text.contains("| 125 |"))
    // No command of this one runs a program.
    let plain = CommandSpec("tool", "a tool", subcommands: [CommandSpec("list", "lists")])
    #expect(
      !HelpText.exitCodeText(of: plain).contains("125") && !ReferenceDocument(root: plain).text.contains("| 125 |"))
  }
}
