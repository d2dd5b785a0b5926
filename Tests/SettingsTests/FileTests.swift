import Basics
import Foundation
import Settings
import Testing
import TestSupport

@Suite struct FileTests {
  private let catalog = Catalog(file: "none")

  private func lint(_ sandbox: Sandbox, modes: [String] = ["development"]) throws -> LintReport {
    try Linter(catalog: catalog, options: LintOptions(severities: [.unknownKey: .off]))
      .lint(directory: sandbox.path, modes: modes)
  }

  @Test func layersAreReadInTheAppsOrder() throws {
    #expect(Layers.fileNames(mode: "production") == [".env", ".env.production", ".env.local", ".env.production.local"])
    #expect(Layers.fileNames(mode: "test") == [".env", ".env.test", ".env.test.local"])
    #expect(Layers.fileNames(mode: "local") == [".env", ".env.local", ".env.local.local"])
    let sandbox = try Sandbox()
    for name in Layers.fileNames(mode: "staging") { try sandbox.write(name, "A=\(name)\n") }
    let resolution = try Resolution.load(
      directory: sandbox.path, mode: "staging", catalog: catalog, environment: Environment([:]))
    let value = try #require(resolution.value(of: "A"))
    #expect(value.value == ".env.staging.local")
    #expect(value.shadowed.map(\.file) == [".env.local", ".env.staging", ".env"])
    let process = try Resolution.load(
      directory: sandbox.path, mode: "staging", catalog: catalog, environment: Environment(["A": ""]))
    #expect(process.value(of: "A")?.origin == .process)
    #expect(process["A"] == "")
    #expect(process.value(of: "A")?.shadowed.count == 4)
  }

  // Linux takes any bytes for a name.
  @Test func aNameThatIsNotUTF8IsPassedOver() throws {
    let sandbox = try Sandbox()
    try sandbox.write(".env", "A=1\n")
    try sandbox.write(".env.\u{FFFD}", "B=\n")
    for bytes in [[0xFF], [0xC3, 0x28], [0x80, 0x0A, 0x3A, 0x3A]] as [[UInt8]] {
      let path = Array(sandbox(".env.").utf8) + bytes + [0]
      let file = path.withUnsafeBufferPointer { buffer in
        buffer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
      }
      #expect(file >= 0)
      close(file)
    }
    let report = try lint(sandbox)
    #expect(report.files.map(\.name) == [".env", ".env.\u{FFFD}"])
    #expect(report.findings == [])
    #expect(Layers.likelyMode(for: "prodution", directory: sandbox.path, catalog: catalog) == "production")
  }

  @Test func aModeThatNothingKnowsIsProbablyMistyped() throws {
    let sandbox = try Sandbox()
    try sandbox.write(".env.staging.local", "A=1\n")
    try sandbox.write(".env.example", "A=1\n")
    let setting = Setting(
      name: "A", group: "g", type: .bool, modes: ["preview": Setting.ModeOverride(required: true)], summary: "s")
    let catalog = Catalog(file: "none", settings: [setting])
    for (mode, meant) in [
      ("prodution", "production"), ("stagin", "staging"), ("stagng", "staging"), ("previw", "preview"),
      ("Test", "test"), ("staging", nil), ("preview", nil), ("test", nil), ("exampl", nil), ("nightly", nil),
    ] as [(String, String?)] {
      #expect(Layers.likelyMode(for: mode, directory: sandbox.path, catalog: catalog) == meant, "\(mode)")
    }
    #expect(Layers.likelyMode(for: "stagin", directory: nil, catalog: catalog) == nil)
    #expect(Layers.likelyMode(for: "prodution", directory: sandbox("none"), catalog: catalog) == "production")
  }

  @Test(arguments: ["", "a/b", "../x", "a b", "a\nb"])
  func aModeThatIsNoNameIsRefused(mode: String) {
    #expect(throws: Failure(.usage, "")) { try Layers.check(mode: mode) }
  }

  @Test func aLayerThatCannotBeReadIsAFinding() throws {
    let sandbox = try Sandbox()
    try sandbox.write(".env", "A=1\n")
    // A folder, a file over 16 MiB, and a link to itself: none of these depends on who runs the test.
    try FileManager.default.createDirectory(atPath: sandbox(".env.local"), withIntermediateDirectories: false)
    #expect(truncate(try sandbox.write(".env.development", ""), 100 << 20) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: sandbox(".env.development.local"), withDestinationPath: ".env.development.local")
    let found = try lint(sandbox).findings
    #expect(found.map(\.rule) == [.unreadableFile, .unreadableFile, .unreadableFile])
    #expect(Set(found.compactMap(\.file)) == [".env.local", ".env.development", ".env.development.local"])
    #expect(found.allSatisfy { $0.range == nil && $0.severity == .error })
    let resolution = try Resolution.load(
      directory: sandbox.path, mode: "development", catalog: catalog, environment: Environment([:]))
    #expect(resolution["A"] == "1")
    #expect(resolution.unreadable.count == 3)
  }

  /// Root reads everything, so it runs this as nobody.
  @Test func aFileThatMayNotBeReadIsAFindingOrExit41() throws {
    let sandbox = try Sandbox()
    try sandbox.write(".env", "A=1\n", mode: 0)
    chmod(sandbox.path, 0o755)
    // Where nobody can reach it.
    try FileManager.default.copyItem(atPath: Programs.buildFolder + "/mfsctl", toPath: sandbox("mfsctl"))
    let user = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let lint = user + [sandbox("mfsctl"), "env", "lint", "--rule", "missing-required=off"]
    let layer = try run(lint, in: sandbox)
    #expect(layer.status == 1, "\(layer.errorText)")
    #expect(layer.text.contains("error: .env cannot be read, and the app passes over it in silence:"), "\(layer.text)")
    #expect(layer.text.contains("Permission denied [unreadable-file]"), "\(layer.text)")
    let operand = try run(lint + [".env"], in: sandbox)
    #expect(operand.status == 41 && operand.errorText.contains("cannot open .env: Permission denied"))
  }

  @Test func aFileThatNobodyReadsIsCheckedByItself() throws {
    let sandbox = try Sandbox()
    try sandbox.write(".env.ci", "A=1\nA=2\nB=$NOPE\nC=\"x\n")
    try sandbox.write(".env.example", "A=1\nA=2\n")
    try sandbox.write(".env.production", "A=1\nA=2\n")
    try FileManager.default.createDirectory(atPath: sandbox(".env.d"), withIntermediateDirectories: false)
    let report = try lint(sandbox)
    #expect(report.files.map(\.name) == [".env.ci"])
    #expect(report.findings.map(\.rule) == [.duplicateKey, .unterminatedQuote])
  }

  @Test func findingsOfSeveralModesAreMerged() throws {
    let sandbox = try Sandbox()
    try sandbox.write(".env", "A=1\nA=2\n")
    try sandbox.write(".env.local", "B= \nC=1\n")
    let report = try lint(sandbox, modes: Layers.modes)
    #expect(report.modes == ["development", "production", "test"])
    #expect(report.findings.map(\.rule) == [.duplicateKey, .blankAfterEquals])
    #expect(report.findings.map(\.modes) == [["development", "production", "test"], ["development", "production"]])
  }

  @Test func aMissingFolderIsNotFound() {
    #expect(throws: Failure(.notFound, "")) {
      try Linter(catalog: Catalog(file: "none"), options: LintOptions())
        .lint(directory: "/nonexistent/app", modes: ["development"])
    }
  }

  @Test func aLineOfAMillionCharactersIsRead() throws {
    let long = String(repeating: "x", count: 1_000_000)
    #expect(try values("A=\(long)\nB=1\n")["A"]?.utf8.count == 1_000_000)
    let report = try Linter(catalog: catalog, options: LintOptions())
      .lint(stack: stack((".env", "A=\(long)$NOPE\n\(long)\n")), modes: ["development"])
    #expect(report.findings.count == 3)
    #expect(report.text(catalog: catalog).split(separator: "\n").allSatisfy { $0.utf8.count < 400 })
  }

  @Test func randomBytesTrapNothing() throws {
    var random = SeededGenerator(0x5EED)
    let pieces: [[UInt8]] =
      [
        "A", "B", "=", "=", "\n", "\n", " ", "\t", "\r", "\"", "'", "`", "#", "\\n", "\\", "$", "${", "}", ":-",
        "export ",
        "\u{FEFF}", "\u{A0}", "é", "x",
      ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0xE2, 0x80]]
    for round in 0..<1_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int(random.next() % 60) {
        bytes +=
          round % 3 == 0
          ? [UInt8(truncatingIfNeeded: random.next())] : pieces[Int(random.next() % UInt64(pieces.count))]
      }
      for dialect in Dialect.allCases {
        let file = EnvFile(name: ".env", bytes: bytes, dialect: dialect)
        for entry in file.document?.entries ?? [] {
          #expect(entry.value.start <= entry.value.end && Int(entry.value.end) <= bytes.count)
        }
        let report = try Linter(catalog: catalog, options: LintOptions(dialect: dialect))
          .lint(stack: [file], modes: ["development"])
        #expect(!report.text(catalog: catalog).utf8.contains(0x0D))
        _ = report.github()
        _ = report.json.text
      }
    }
  }
}
