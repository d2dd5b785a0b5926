internal import Basics
internal import StrategyWire
internal import Testing

@Suite("The plugin's contract")
struct ContractTests {
  private func run(_ attack: String, _ arguments: [String] = [], strategy: String = "adversary") throws -> Ended {
    let parent = ScriptedParent()
    return try parent.run(
      BuiltFiles.compile("adversary.c", arguments),
      .init(
        strategy: strategy, operation: 1, timeout: 60_000, identifier: nil, settings: ["ATTACK": .text(attack)]))
  }

  @Test(
    "a result that breaks the contract is reported, never passed on",
    arguments: [
      ("two-results", "it called a sink after it had reported a result"),
      ("failure-then-result", "it called a sink after it had reported a result"),
      ("no-result", "it returned without reporting a result"),
      ("use-after-result", "it called log after it had reported a result"),
      ("small-failure", "it reported a failure that is malformed"),
      ("null-failure", "it reported a failure that is malformed"),
      ("null-record", "it reported a result that is malformed"),
      ("small-pairs", "it reported a result that is malformed"),
      ("many-pairs", "it reported a result that is malformed"), ("not-utf8", "it reported a result that is malformed"),
      ("name-not-utf8", "it reported a result that is malformed"),
      ("no-name", "it reported a result that is malformed"),
      ("unknown-kind", "it reported a result that is malformed"),
      ("null-text", "it reported a result that is malformed"),
      ("long-text", "it reported a result that is malformed"), ("oversize", "it reported a result that is malformed"),
      ("endless-list", "it reported a result that is malformed"),
      ("twice-named", "it reported a result that is malformed"),
      ("almost-oversize", "it sent more than fits one message"),
    ])
  func broken(attack: String, report: String) throws {
    let ended = try run(attack)
    #expect(ended.broken == report)
    #expect(ended.status == 65)
    #expect(ended.messages.count == 2)
  }

  @Test(
    "a host call with a wrong argument says so",
    arguments: [
      "null-receiver", "small-receiver", "malformed-request", "null-random", "much-random",
    ])
  func badArgument(attack: String) throws {
    #expect(try run(attack).failure?.message.hasPrefix("status gave 8,") == true)
  }

  @Test("what is not worth a failure is put right")
  func tolerated() throws {
    #expect(try run("null-log").log == ["(a line that cannot be read)"])
    #expect(try run("long-log").log == ["(a line that cannot be read)"])
    #expect(try run("wrong-context").log == ["hello"])
    #expect(try run("unknown-extension").failure?.message.hasPrefix("extension gave 0") == true)
    #expect(try run("unknown-reason").failure == .init(reason: 10, message: "\u{FFFD}("))
  }

  @Test("a pointer that leads nowhere ends the plugin's process")
  func wildPointer() throws { #expect(try run("wild-pointer").status == -11) }

  @Test(
    "a plugin that does not fit is refused before it is called",
    arguments: [
      (["-DENTRY_NULL"], "it does not speak version 1 of the strategy ABI"),
      (["-DENTRY_VERSION=2"], "it speaks version 2 of the strategy ABI, not 1"),
      (["-DENTRY_SIZE=16"], "its table is 16 bytes, smaller than version 1 of the strategy ABI has it"),
      (["-DENTRY_NAME=\"other\""], "it does not call itself adversary, as its manifest does"),
      (["-DENTRY_NAME=\"\\xff\""], "it does not call itself adversary, as its manifest does"),
      (["-DENTRY_LOGIN=NULL"], "it has no operation 'login', though its manifest says so"),
      (["-DENTRY_FUNCTION=another_name"], "it exports no mfs_strategy_entry"),
      (
        ["-Wl,--no-as-needed", "-l:libcurl.so.4"],
        "libcurl.so.4: cannot open shared object file: No such file or directory"
      ),
    ])
  func refused(arguments: [String], reason: String) throws {
    let ended = try run("", arguments)
    #expect(ended.refused?.hasSuffix(reason) == true, "\(ended.refused ?? "nothing")")
    #expect(ended.status == 64)
  }

  @Test("the parts of the Swift runtime that stand beside the host can be linked", arguments: Surroundings.all)
  func swiftRuntime(surroundings: Surroundings) throws {
    let parent = ScriptedParent()
    parent.surroundings = surroundings
    let libraries = ["libswift_Concurrency.so", "libswiftSynchronization.so", "libFoundationEssentials.so"]
    let ended = try parent.run(
      BuiltFiles.compile(
        "adversary.c",
        ["-Wl,--no-as-needed,--allow-shlib-undefined"] + libraries.map { "\(BuiltFiles.swiftRuntime)/\($0)" }),
      .init(
        strategy: "adversary", operation: 1, timeout: 10_000, identifier: nil,
        settings: ["ATTACK": .text("unknown-reason")]))
    #expect(ended.failure?.reason == 10, "\(ended.messages)")
  }

  @Test("a larger table, as a newer plugin has, is taken for what it begins with")
  func grown() throws {
    #expect(try run("unknown-reason", ["-DENTRY_SIZE=sizeof(mfs_strategy_t)+64"]).failure?.reason == 10)
  }

  @Test(
    "a constructor is as shut in as everything else",
    arguments: [
      ("open(\"/etc/passwd\",0)", "it tried to reach the file /etc/passwd while it was being loaded"),
      ("open(\"/proc/self/fd/../../1/environ\",0)", "it tried to reach the file /proc/self/fd/../../1/environ"),
      ("socket(2,1,0)", "it tried what no plugin may (system call socket)"),
      ("syscall(SYS_io_uring_setup,8,0)", "it tried what no plugin may (system call io_uring_setup)"),
      ("fork()", "it tried to start a thread or a process (system call clone)"),
      ("execl(\"/bin/sh\",\"sh\",(char*)0)", "it tried to reach the file /bin/sh (system call execve)"),
      ("kill(1,0)", "it tried what no plugin may (system call kill)"),
    ])
  func constructor(code: String, report: String) throws {
    for surroundings in Surroundings.all {
      let parent = ScriptedParent()
      parent.surroundings = surroundings
      let ended = try parent.run(
        BuiltFiles.compile("adversary.c", ["-DAT_LOAD=\(code)", "-Wno-unused-result"]),
        .init(strategy: "adversary", operation: 1, timeout: 1_000, identifier: nil, settings: [:]))
      #expect(ended.broken?.hasPrefix(report) == true, "\(ended.messages)")
    }
  }

  @Test("a constructor that crashes or hangs is one that does")
  func constructorFaults() throws {
    #expect(try run("", ["-DAT_LOAD=abort()"]).status == -6)
    #expect(try run("", ["-DAT_LOAD=_exit(0)"]).messages.count == 1)
    #expect(try run("", ["-DAT_LOAD=start_threads(9)"]).status == -31)
    let parent = ScriptedParent()
    parent.patience = 0.3
    let hung = try parent.run(
      BuiltFiles.compile("adversary.c", ["-DAT_LOAD=for(;;)pause()"]),
      .init(strategy: "adversary", operation: 1, timeout: 100, identifier: nil, settings: [:]))
    // pause(2) is not on the list.
    #expect(hung.broken == "it tried what no plugin may (system call pause)")
  }

  @Test("an executable stack is not given")
  func executableStack() throws {
    let ended = try run("", ["-Wl,-z,execstack"])
    #expect(ended.broken == "it tried what no plugin may (system call mprotect)", "\(ended.messages)")
  }

  @Test("what is no library is refused")
  func notALibrary() throws {
    let parent = ScriptedParent()
    let ended = try parent.run(
      "\(BuiltFiles.root)/Package.swift",
      .init(strategy: "adversary", operation: 1, timeout: 1_000, identifier: nil, settings: [:]))
    #expect(ended.refused?.contains("invalid ELF header") == true)
    #expect(ended.status == 64)
  }
}
