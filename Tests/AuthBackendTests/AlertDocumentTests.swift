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

  /// The sources of the server, line by line.
  private func lines() throws -> [Substring] {
    let folder = Programs.checkout + "/Sources/AuthBackend", manager = FileManager.default
    var found: [Substring] = []
    // Folder by folder, since an enumerator goes into none that is a link.
    for part in try manager.contentsOfDirectory(atPath: folder) {
      for name in manager.enumerator(atPath: "\(folder)/\(part)")?.compactMap({ $0 as? String }) ?? []
      where name.hasSuffix(".swift") {
        found += try String(contentsOfFile: "\(folder)/\(part)/\(name)", encoding: .utf8).split(separator: "\n")
      }
    }
    return found
  }

  /// Where an alert is raised and its name is not beside it, with the names that it may have.
  private static let elsewhere: [(line: String, names: Set<String>)] = [
    ("refused(", ["native.refused"]), ("tell(audit(outcome)", ["code.refused", "attestation.refused"]),
    ("tell(entries", ["refresh.refused", "attestation.refused"]),
    // The names that ``attempt`` is called with are found by that.
    ("backend.announce(name", []),
    // ``report`` itself, which hands it on.
    ("alert: alert", []),
  ]

  @Test("each alert of the source is in the table, and each of the table in the source")
  func complete() throws {
    let page = try String(contentsOfFile: Programs.checkout + "/docs/BACKEND.md", encoding: .utf8)
    let alerts = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Alerts\n") })
    let rows = alerts.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|")[0] }
    let inTable = Set(rows.flatMap { AlertDocumentTests.names(in: $0) })
    var raised: Set<String> = [], unseen: [Substring] = []
    for line in try lines() {
      raised.formUnion(line.matches(of: /attempt\("([a-z-]+\.[a-z-]+)"/).map { String($0.1) })
      guard line.contains("alert: true") else { continue }
      let names = line.matches(of: /"([a-z-]+\.[a-z-]+)"/).map { String($0.1) }
      if !names.isEmpty {
        raised.formUnion(names)
      } else if let known = AlertDocumentTests.elsewhere.first(where: { line.contains($0.line) }) {
        raised.formUnion(known.names)
      } else {
        unseen.append(line)
      }
    }
    #expect(unseen == [], "these raise an alert whose name is not seen here")
    #expect(raised.count > 15)
    #expect(raised.subtracting(inTable).sorted() == [], "no row says what to do")
    #expect(inTable.subtracting(raised).sorted() == [], "nothing raises these")
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
