import Foundation
import TestSupport
import Testing

/// docs/BACKEND-STANDARDS.md says which test shows each demand of a standard: there are such tests.
@Suite("Standards in the documents")
struct StandardsDocumentTests {
  private struct Row {
    let standard: Substring
    let text: Substring
    let tests: [String]
  }

  private func rows() throws -> [Row] {
    let page = try String(contentsOfFile: Programs.checkout + "/docs/BACKEND-STANDARDS.md", encoding: .utf8)
    return page.split(separator: "\n## ").dropFirst().flatMap { section in
      let standard = section.prefix { $0 != "\n" }
      return section.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| where |") }.map { line in
        Row(standard: standard, text: line, tests: line.matches(of: /`([A-Z]\w+Tests\.\w+)`/).map { String($0.1) })
      }
    }
  }

  /// The tests of the checkout, each with the type that it is in.
  private func tests() throws -> Set<String> {
    let folder = Programs.checkout + "/Tests", manager = FileManager.default
    var found: Set<String> = []
    // Module by module, since an enumerator goes into no folder that is a link.
    let files = try manager.contentsOfDirectory(atPath: folder).flatMap { module in
      (manager.enumerator(atPath: "\(folder)/\(module)")?.compactMap { $0 as? String } ?? []).map { "\(module)/\($0)" }
    }
    for name in files where name.hasSuffix("Tests.swift") {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      var type = "", isTest = false
      for match in text.matches(of: /(?:struct|extension) (\w+Tests)\b|(@Test)\b|func (\w+)/) {
        if let name = match.1 { type = String(name) }
        if match.2 != nil { isTest = true }
        guard let name = match.3 else { continue }
        if isTest { found.insert("\(type).\(name)") }
        isTest = false
      }
    }
    return found
  }

  @Test("each demand names a test that is there")
  func complete() throws {
    let rows = try rows(), tests = try tests()
    #expect(rows.count > 70)
    let demands = rows.filter { $0.standard != "Departures" }
    #expect(demands.filter(\.tests.isEmpty).map(\.text) == [], "no test is named")
    #expect(Set(rows.flatMap(\.tests)).subtracting(tests).sorted() == [], "there is no such test")
  }

  @Test("every standard that the page lists has demands")
  func standards() throws {
    let found = try Set(rows().map(\.standard))
    for number in [
      "6749", "6750", "9700", "7009", "7517", "7519", "7636", "7662", "8252", "8414", "8628", "8693", "8725", "9068",
      "9207",
    ] {
      #expect(found.contains { $0.hasPrefix("RFC \(number)") }, "RFC \(number)")
    }
    for name in ["OpenID Connect Core", "OpenID Connect Discovery", "OpenID Connect RP-Initiated Logout", "OAuth 2.1"] {
      #expect(found.contains { $0.contains(name) }, "\(name)")
    }
  }
}
