import BackendAdmin
import BackendKeys
import BackendStore
import Basics
import Foundation
import HTTPTestSupport
import TestSupport
import Testing

/// What is set by a name in the configuration has its effect in the server: each row sets another value than the usual one, and looks.
@Suite("Settings")
struct SettingsTests {
  /// Some settings, and what shows them.
  struct Row: Sendable, CustomTestStringConvertible {
    let lines: [String]
    let show: @Sendable (BackendFixture, BackendConfiguration) throws -> Void

    init(_ lines: String..., show: @escaping @Sendable (BackendFixture, BackendConfiguration) throws -> Void) {
      (self.lines, self.show) = (lines, show)
    }

    var testDescription: String { lines.joined(separator: ", ") }
    var names: [String] { lines.map { "MFS_AUTHD_" + ($0.split(separator: ":").first ?? "") } }
  }

  static let rows = lifetimes + limits + keys

  private func configuration(_ lines: [String]) throws -> BackendConfiguration {
    let folder = try Sandbox()
    let own = ["ISSUER: https://auth.example.com", "DATABASE: auth.db", "TRUSTED_PROXIES: [192.0.2.1]"]
    let text = (own + lines).map { "MFS_AUTHD_\($0)\n" }.joined()
    return try .load(file: try folder.write("c.yaml", text), environment: Environment([:]))
  }

  @Test("another value has its effect", arguments: rows) func hasItsEffect(_ row: Row) throws {
    let configuration = try configuration(row.lines)
    let fixture = try BackendFixture(keys: configuration.keys) { $0 = configuration.backend }
    try row.show(fixture, configuration)
  }

  /// Settings whose names the tests of the process put together.
  private static let elsewhere: Set = [
    "MFS_AUTHD_APPLE_ISSUERS", "MFS_AUTHD_APPLE_KEYS_URL", "MFS_AUTHD_GOOGLE_ISSUERS", "MFS_AUTHD_GOOGLE_KEYS_URL",
  ]

  @Test("each setting of the catalog has a row here, or is set by a test of the process")
  func complete() throws {
    let tests = Programs.checkout + "/Tests/AuthDaemonTests", manager = FileManager.default
    let sources = try manager.contentsOfDirectory(atPath: tests).filter { $0.hasSuffix(".swift") }.map {
      try String(contentsOfFile: "\(tests)/\($0)", encoding: .utf8)
    }.joined()
    let set = SettingsTests.elsewhere.union(SettingsTests.rows.flatMap(\.names))
      .union(sources.matches(of: /MFS_AUTHD_[A-Z_]+/).map { String($0.0) })
    let catalog = try String(contentsOfFile: Programs.checkout + "/env/backend-catalog.yaml", encoding: .utf8)
    let names = catalog.matches(of: /- name: (MFS_AUTHD_[A-Z_]+)/).map { String($0.1) }
    #expect(names.count > 50)
    #expect(names.filter { !set.contains($0) } == [], "no test looks at what these do")
  }
}
