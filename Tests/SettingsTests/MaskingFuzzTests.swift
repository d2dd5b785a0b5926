import Basics
import Foundation
import Settings
import Testing

/// Files with secrets in them, damaged in the ways that files are damaged, must not show six bytes of a secret in
/// anything that is printed. Each seed makes the same file on every machine.
@Suite struct MaskingFuzzTests {
  /// Many more once, when something changes here: MASKING_FUZZ_ROUNDS.
  static let rounds = ProcessInfo.processInfo.environment["MASKING_FUZZ_ROUNDS"].flatMap { UInt64($0) } ?? 160

  static let catalog = Catalog.builtin()

  @Test(arguments: 0..<8)
  func noOutputShowsASecret(shard: UInt64) throws {
    for round in 0..<MaskingFuzzTests.rounds / 8 {
      let seed = shard * 1_000_003 + round
      var maker = DamagedFile(seed: seed)
      let bytes = maker.make()
      for (name, output) in try outputs(of: bytes) {
        let shown = maker.shownPart(of: output)
        #expect(
          shown == nil,
          "seed \(seed): \(name) shows '\(shown ?? "")' of \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
  }

  // What went wrong once, kept by name. `hunter2canary` is the secret.
  @Test(arguments: [
    "A=1\rDB_PASSWORD=\"hunter2canary\nB=2\n", "A=1\rDB_PASSWORD=\"x\nhunter2canary\nB=\"2\"\n",
    "A=1\rPASSWORD:\rhunter2canary\nB=2\n", "PASSWORD:\rhunter2canary=1\nB\n", "A=1\rPASSWORD:\nhunter2canary\n",
    "DB_PASSWORD='x\nhunter2canary\rB=2\nC='3'\n", "DB_PASSWORD=x\nhunter2canary\rB=2\nC\n",
    "DB_PASSWORD=x\nhunter2canary==\nC\n", "DB_PASSWORD=x\nhunter2canary+/=\nC\n", "PASSWORD hunter2canary\n",
    "DB_PASS\rWORD=hunter2canary\nC\n", "I\rDB_PASSWORD hunter2canary\n", "\"PASSWORD\": \"hunter2canary\n",
    "A=1\rB=postgres://u:hunter2canary@h/db\nC\n", "PASSWORD: \"x\nhunter2canary=1\nB=\"\n",
    "TOKEN\u{FEFF}=hunter2canary\rC\n",
    "DB_PASSWORD=x\nhunter2canary\rB=$C\nC=1\n",
  ])
  func theseDoNot(text: String) throws {
    for (name, output) in try outputs(of: Array(text.utf8)) {
      #expect(!output.contains("hunter2canary"), "\(name): \(output)")
    }
  }

  /// Everything that lint, resolve and explain print of a file without `--reveal`.
  private func outputs(of bytes: [UInt8]) throws -> [(String, String)] {
    let catalog = MaskingFuzzTests.catalog
    var outputs: [(String, String)] = []
    for dialect in Dialect.allCases {
      let file = EnvFile(name: ".env", bytes: bytes, dialect: dialect)
      let report = try Linter(catalog: catalog, options: LintOptions(dialect: dialect))
        .lint(stack: [file], modes: ["development"])
      outputs += [
        ("lint", report.text(catalog: catalog)), ("lint --format json", report.json.text),
        ("lint --format github", report.github()),
      ]
      for stack in [[file], [file.asMeant]] {
        outputs += try self.outputs(of: stack, dialect: dialect, catalog: catalog)
      }
      let misreadings = Misreading.all(in: [file], catalog: catalog)
      outputs.append(("misreadings", misreadings.map { $0.message + ($0.help ?? "") }.joined(separator: "\n")))
    }
    return outputs
  }

  private func outputs(of files: [EnvFile], dialect: Dialect, catalog: Catalog) throws -> [(String, String)] {
    let none = Environment([:])
    var outputs: [(String, String)] = []
    let resolution: Resolution
    do {
      resolution = try Resolution(
        files, mode: "development", dialect: dialect, catalog: catalog, environment: none)
    } catch { return [("failure", "\(error.message) \(error.hint ?? "")")] }
    outputs.append(("resolve --json", resolution.json(reveal: false).text))
    let writer = DotenvText(dialect: dialect)
    for value in resolution.values {
      outputs += [
        ("resolve", writer.line(key: value.maskedKey, value: value.masked) ?? value.maskedKey),
        ("resolve --format shell", ShellText.line(key: value.maskedKey, value: value.masked) ?? ""),
      ]
      // Whoever asks for a key that is a piece of a secret knows it already.
      guard value.key == value.maskedKey, value.origin != .defaultValue else { continue }
      let explanation = try Explanation(
        value.key, files: files, mode: "development", dialect: dialect, catalog: catalog, environment: none)
      outputs += [
        ("explain", explanation.text(reveal: false)), ("explain --json", explanation.json(reveal: false).text),
      ]
    }
    do {
      _ = try Explanation(
        "NO_SUCH_KEY", files: files, mode: "development", dialect: dialect, catalog: catalog, environment: none)
    } catch { outputs.append(("explain", "\(error.message) \(error.hint ?? "")")) }
    return outputs
  }
}
