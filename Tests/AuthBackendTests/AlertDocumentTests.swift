import AuthBackend
import Basics
import Foundation
import TestSupport
import Testing

/// What docs/BACKEND.md says of alerts is held against the rule.
@Suite("Alerts in the documents")
struct AlertDocumentTests {
  private static func names(in text: Substring) -> [String] {
    text.matches(of: /`([a-z-]+\.[a-z-]+)`/).map { String($0.1) }
  }

  @Test("the urgent ones are those that the page lists, and no other of its table")
  func urgent() throws {
    let page = try String(contentsOfFile: Programs.checkout + "/docs/BACKEND.md", encoding: .utf8)
    let alerts = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Alerts\n") })
    let listed = try #require(alerts.firstMatch(of: /which go first: ([\s\S]*?)\. Of the urgent ones/)).1
    let table = alerts.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|")[0] }
    let inTable = Set(table.flatMap { AlertDocumentTests.names(in: $0) })
    #expect(inTable.count > 15)
    // Each with every reason that the page knows.
    let reasons = Set(table.flatMap { $0.matches(of: /`([a-z-]+)`/).map { String($0.1) } })
    let urgent = inTable.filter { name in
      reasons.contains { reason in
        BackendEvent(
          name: name, fields: [(name: "reason", value: reason), (name: "ended", value: "1")], isAlert: true,
          at: Timestamp(seconds: 0)
        ).isUrgent
      }
    }
    #expect(urgent.sorted() == Set(AlertDocumentTests.names(in: listed)).sorted())
  }
}
