import Basics
import Foundation
import TestSupport
import Testing

@Suite struct ExitCodeTests {
  @Test func eachNumberHasOneMeaning() {
    let codes = ExitCode.table(of: "mfsctl", runsPrograms: true).map(\.code), numbers = Set(codes)
    #expect(numbers.count == codes.count)
    for code in FailureCode.table { #expect(numbers.contains(code.exit)) }
    #expect(Set(FailureCode.table.map(\.name)).count == FailureCode.table.count)
  }
}

@Suite struct FailureCodeTests {
  /// Codes that nobody is told: the first two stand for a reader that has gone, whom nothing can be told, and the last does not leave its
  /// module.
  private let untold: Set<String> = ["closed-pipe", "output-gone", "vault.no-such-item"]

  /// The sources, by their paths.
  private func sources() throws -> [String: String] {
    let root = URL(fileURLWithPath: Programs.checkout + "/Sources").resolvingSymlinksInPath()
    let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    var sources: [String: String] = [:]
    for case let file as URL in files where file.pathExtension == "swift" {
      sources[file.path] = try String(contentsOf: file, encoding: .utf8)
    }
    return sources
  }

  @Test("Every code that a module makes is in the table, and so in the command lines' pages")
  func theTableIsWhole() throws {
    let names = try sources().values.flatMap { text in
      text.matches(of: /FailureCode\(\s*"([^"\\]*)"/).map { String($0.output.1) }
    }
    #expect(names.count > 30)
    #expect(Set(names).symmetricDifference(Set(FailureCode.table.map(\.name)).union(untold)) == [])
    #expect(Set(names).count == names.count, "two codes have one name")
  }

  @Test(arguments: ["CLI.md", "BACKEND-CLI.md"])
  func thePagesHaveIt(page: String) throws {
    let text = try String(contentsOfFile: "\(Programs.checkout)/docs/\(page)", encoding: .utf8)
    for code in FailureCode.table { #expect(text.contains("| `\(code.name)` | \(code.exit.rawValue) |\n")) }
  }

  @Test func theStoresCodesAreWhatTheyWere() {
    let codes: [FailureCode] = [.storeOlderFormat, .backendNotInitialised, .storeDamaged, .storeNewerFormat]
    #expect(codes.map(\.exit.rawValue) == [3, 20, 30, 33])
  }
}
