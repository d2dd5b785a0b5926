import Basics
import Foundation
import StrategyHost
import Testing

/// The conformance kit: it finds nothing in what is right, and each fault in a plugin that has that fault and no other.
struct ConformanceTests {
  private static let manifest = """
    manifest: 1
    name: probe
    version: "1"
    abi: 1
    summary: A plugin of the tests.
    operations: [login]
    interaction: login
    settings: [{name: EXPO_PUBLIC_SG_URL, required: true}]
    needs:
      http: [{origin: "setting:EXPO_PUBLIC_SG_URL", methods: [POST], purpose: opens the session}]
      vault: [{name: auth.password, access: read, purpose: signs in again}]
      prompt: {purpose: asks for the PIN}

    """

  private func check(
    _ flags: [String], cycles: Int = 10, sanitizer: SanitizerRuntime? = nil, compiler: String = "gcc"
  ) throws -> StrategyConformance.Report {
    let folder = try PluginFolder(manifest: ConformanceTests.manifest), built = try BuiltFolder()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    try PluginFolder.tool(
      [
        compiler, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-but-set-variable", "-shared",
        "-fPIC",
      ]
        + flags + [
          "-I\(root)/Sources/StrategyPlugins/ABI/include", "-o", folder.path + "/libmfs-strategy-probe.so",
          root + "/Tests/Plugins/faulty.c",
        ])
    let catalogue = StrategyCatalogue(.init(folders: [], runner: built.path + "/mfs-strategy-host"))
    return try StrategyConformance.check(
      file: folder.path + "/libmfs-strategy-probe.so", in: catalogue, cycles: cycles, sanitizer: sanitizer)
  }

  @Test func findsNothingInWhatIsRight() throws {
    let report = try check([], cycles: 1_000)
    #expect(report.findings == [])
    #expect(report.outcomes == ["login: done"])
    #expect(report.checks == StrategyConformance.checks && report.runs > 1_000)
  }

  @Test(arguments: [
    ("TWO_REPORTS", "contract", "it called a sink after it had reported a result"),
    ("NO_REPORT", "contract", "it returned without reporting a result"),
    ("RESULT", "contract", "it has a field 'who' that is not known"),
    ("GROWTH", "growth", "it does not go by struct_size and pair_size"),
    ("GREASE", "grease", "with a field in the answers that it does not know"),
    ("EXTENSIONS", "extensions", "without mfs.http/1 it reports nothing"),
    ("CANCEL", "cancel", "it reports reason 4, not 8, when it is cancelled during call 1"),
    ("DEADLINE", "deadline", "it does not end when it gets timeout from call 1"),
    ("STATUSES", "statuses", "when it gets untrusted from call 1"),
    ("OVERSIZE", "oversize", "when it gets a huge answer to call 3"),
    ("UTF8", "utf8", "when it gets bytes that are not UTF-8 from call 1"),
    ("SECRETS", "secrets", "a secret stands in its log"),
  ])
  func findsTheFault(fault: String, check: String, words: String) throws {
    let report = try self.check(["-DFAULT_\(fault)"])
    #expect(report.findings.contains { $0.check == check && $0.message.contains(words) }, "\(report.findings)")
    #expect(Set(report.findings.map(\.check)) == [check], "\(report.findings)")
  }

  // gcc's library is named by what it builds; clang's, the Swift toolchain's own, is a file of its own.
  private static let sanitizers: [(compiler: String, flags: [String])] = [
    ("gcc", ["-fsanitize=address", "-g", "-Wno-use-after-free"]), ("clang", ["-fsanitize=address", "-g"]),
  ]

  private func sanitized(_ compiler: String, _ flags: [String]) throws -> StrategyConformance.Report {
    guard compiler == "clang" else { return try check(flags, cycles: 3, sanitizer: .needed) }
    #if arch(x86_64)
      let name = "libclang_rt.asan-x86_64.so"
    #else
      let name = "libclang_rt.asan-aarch64.so"
    #endif
    let folder = try PluginFolder.tool(["sh", "-c", "dirname \"$(readlink -f \"$(command -v swift)\")\""])
    let clang = folder.trimmingCharacters(in: .newlines) + "/clang"
    let file = try PluginFolder.tool([clang, "-print-file-name=\(name)"]).trimmingCharacters(in: .newlines)
    return try check(flags, cycles: 3, sanitizer: .file(file), compiler: clang)
  }

  @Test(arguments: sanitizers) func theSanitizerFindsNothingInWhatIsRight(compiler: String, flags: [String]) throws {
    let report = try sanitized(compiler, flags)
    #expect(report.findings == [] && report.outcomes == ["login: done"], "\(report.findings)")
    #expect(report.checks == StrategyConformance.checks + StrategyConformance.sanitizerChecks)
  }

  /// What is wrong with memory is found by the sanitizer, each by its check alone, and by nothing else.
  @Test(arguments: [
    ("OVERFLOW", "asan", "login: heap-buffer-overflow at 0x"), ("FREED", "asan", "login: heap-use-after-free at 0x"),
    ("LEAK", "leaks", "login: what was allocated at 0x"),
  ])
  func theSanitizerFindsTheFault(fault: String, check: String, words: String) throws {
    for (compiler, flags) in ConformanceTests.sanitizers {
      let report = try sanitized(compiler, flags + ["-DFAULT_\(fault)"])
      #expect(report.findings.contains { $0.message.hasPrefix(words) }, "\(compiler): \(report.findings)")
      #expect(Set(report.findings.map(\.check)) == [check], "\(compiler): \(report.findings)")
    }
    let without = try self.check(["-DFAULT_\(fault)", "-Wno-use-after-free"])
    #expect(without.findings == [], "\(without.findings)")
  }

  @Test func aPluginThatWasNotBuiltForTheSanitizerIsNotTriedByIt() throws {
    let failure = #expect(throws: Failure.self) { try self.check([], sanitizer: .needed) }
    #expect(failure?.code == .usage && failure?.message.contains("was not built with AddressSanitizer") == true)
    // And one that was is not run for a user.
    let refusal = #expect(throws: Failure.self) { try self.check(["-fsanitize=address"]) }
    #expect(refusal?.code == .pluginRefused && refusal?.message.contains("needs the library libasan.so") == true)
  }

  // Chance is the fault here, so what is found first is chance too; that nothing is found is less likely than one in two thousand.
  @Test func findsWhatIsNotTheSameEachTime() throws {
    let report = try check(["-DFAULT_REPEATABLE"])
    #expect(!report.findings.isEmpty)
    let rare = try check(["-DFAULT_CYCLES"], cycles: 2_000)
    #expect(
      rare.findings.contains { $0.message.contains("ends differently") || $0.check == "cancel" }, "\(rare.findings)")
  }

  @Test func findsNothingInTheToolkitsOwn() throws {
    let built = try BuiltFolder()
    for name in ["basic", "demo"] {
      let catalogue = StrategyCatalogue(built.locations)
      let report = try StrategyConformance.check(
        file: "\(built.path)/libmfs-strategy-\(name).so", in: catalogue, cycles: 10)
      #expect(report.findings == [], "\(name)")
      #expect(report.outcomes.first == "login: done", "\(name) \(report.outcomes)")
    }
  }
}
