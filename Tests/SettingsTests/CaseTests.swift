import Basics
import Foundation
import Settings
import Testing

/// One line of the tables in `Data`: files, and what a reader makes of them.
struct ReaderCase: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let files: [String: String]
  let env: [String: String]?
  let mode: String?
  let dialect: String
  let expect: [String: String]
  let must_report: String?

  var testDescription: String { id }

  static func all(_ name: String) throws -> [ReaderCase] {
    let url = try #require(Bundle.module.url(forResource: "Data/\(name)", withExtension: "json"))
    return try JSONDecoder().decode([ReaderCase].self, from: Data(contentsOf: url))
  }

  /// The files that the mode reads, lowest first.
  func layers(_ dialect: Dialect) -> [EnvFile] {
    Layers.fileNames(mode: mode ?? "development").compactMap { name in
      files[name].map { EnvFile(name: name, bytes: Array($0.utf8), dialect: dialect) }
    }
  }
}

@Suite struct CaseTests {
  @Test(arguments: ["dotenv_cases", "node_cases"])
  func everyCaseIsRead(table: String) throws {
    let cases = try ReaderCase.all(table)
    #expect(cases.count >= (table == "dotenv_cases" ? 34 : 25))
    for testCase in cases {
      let dialect = try #require(Dialect(rawValue: testCase.dialect))
      let resolution = try Resolution(
        testCase.layers(dialect), mode: testCase.mode ?? "development", dialect: dialect,
        catalog: Catalog(file: "none"), environment: Environment(testCase.env ?? [:]))
      let values = Dictionary(uniqueKeysWithValues: resolution.values.map { ($0.key, $0.value) })
      #expect(values == testCase.expect, "\(testCase.id)")
    }
  }

  @Test func whatMustBeReportedIs() throws {
    let reported = try ReaderCase.all("dotenv_cases").filter { $0.must_report != nil }
    #expect(reported.count == 1)
    for testCase in reported {
      #expect(testCase.must_report == "error on line 1")
      let report = try Linter(catalog: Catalog(file: "none"), options: LintOptions(severities: [.unknownKey: .off]))
        .lint(stack: testCase.layers(.expo), modes: ["development"])
      let errors = report.findings.filter { $0.severity == .error }
      #expect(errors.map(\.rule) == [.blankAfterEquals])
      #expect(errors.first?.range?.line == 1)
    }
  }

  @Test func whatAllReadersAgreeOnHasNoReaderFinding() throws {
    // Of the cases that every generation of the reader agrees on, those with a trap in their references apart.
    let traps = [
      "unbraced-dot-trap", "double-dollar-password", "alternate-form-unsupported", "self-reference-default",
    ]
    let rules: Set<Rule> = [.syntax, .unterminatedQuote, .blankAfterEquals, .encoding, .duplicateKey, .referenceCycle]
    for testCase in try ReaderCase.all("dotenv_cases")
    where !testCase.id.hasPrefix("div-") && testCase.must_report == nil {
      let report = try Linter(catalog: Catalog(file: "none"), options: LintOptions())
        .lint(stack: testCase.layers(.expo), modes: [testCase.mode ?? "development"])
      #expect(report.findings.filter { rules.contains($0.rule) } == [], "\(testCase.id)")
      let unresolved = report.findings.contains { $0.rule == .unresolvedReference }
      #expect(
        unresolved
          == (traps.contains(testCase.id) && testCase.id != "alternate-form-unsupported"
            && testCase.id != "self-reference-default"),
        "\(testCase.id)")
    }
  }
}
