import Basics
import Foundation
import TestSupport
import Testing

/// The list of requirements and the tests are held against each other, so that neither has what the other lacks.
@Suite("The list of requirements")
struct RequirementListTests {
  /// Lines that other test modules show, and which.
  static let elsewhere = [
    "JT-05": "BackendKeysTests", "JK-03": "BackendKeysTests", "JK-04": "BackendKeysTests",
  ]
  /// Lines of parts that the server does not have; they go from here with the first test of theirs.
  static let absent: Set<String> = ["NA-01", "NA-02"]

  private func list() throws -> Set<String> {
    let file = try #require(
      Bundle.module.url(forResource: "Resources/backend_requirements", withExtension: "json"))
    let lines = try JSONReader.value([UInt8](Data(contentsOf: file)))["requirements"]?.items ?? []
    return Set(lines.compactMap { $0["id"]?.string })
  }

  /// The ids that begin the name of a test in a module.
  private func tested(in module: String) throws -> Set<String> {
    let folder = "\(Programs.checkout)/Tests/\(module)"
    let files = try #require(FileManager.default.enumerator(atPath: folder), "there is no folder \(folder)")
    var ids: Set<String> = []
    for case let name as String in files where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      for match in text.matches(of: /@Test\(\s*"((?:[A-Z]{2}-[0-9]{2}[, ]+)+)/) {
        ids.formUnion(match.1.matches(of: /[A-Z]{2}-[0-9]{2}/).map { String($0.0) })
      }
    }
    return ids
  }

  @Test("each line of the list has a test with its id in the name")
  func complete() throws {
    let list = try list()
    #expect(list.count == 71)
    let here = try tested(in: "AuthBackendTests")
    let known = RequirementListTests.absent.union(RequirementListTests.elsewhere.keys)
    #expect(list.subtracting(here).subtracting(known).sorted() == [])
    #expect(here.intersection(known).sorted() == [], "these have a test here")
  }

  @Test("a line that another module shows is shown there")
  func elsewhere() throws {
    for (module, lines) in Dictionary(grouping: RequirementListTests.elsewhere, by: \.value) {
      let there = try tested(in: module)
      #expect(lines.map(\.key).filter { !there.contains($0) }.sorted() == [])
    }
  }

  @Test("no test names a line that the list does not have")
  func noOther() throws {
    #expect(try tested(in: "AuthBackendTests").subtracting(list()).sorted() == [])
  }
}
