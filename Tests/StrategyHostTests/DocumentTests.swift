import Foundation
import TestSupport
import Testing

@testable import StrategyHost

/// The plugin that docs/PLUGINS.md shows to whoever writes one.
struct DocumentTests {
  /// The page's first block in a language.
  private func block(_ language: String) throws -> String {
    let page = try String(contentsOfFile: Programs.checkout + "/docs/PLUGINS.md", encoding: .utf8)
    let parts = page.components(separatedBy: "```\(language)\n")
    return try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
  }

  @Test func itsCodeCompilesAsItStands() throws {
    let sandbox = try Sandbox()
    let source = try sandbox.write("Badge.swift", block("swift"))
    let built = Programs.buildFolder
    let result = try run(
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", "\(built)/Modules",
        "-I", "\(Programs.checkout)/Sources/StrategyPlugins/ABI/include",
        "-Xcc", "-fmodule-map-file=\(built)/CLinux.build/module.modulemap", source,
      ], in: sandbox, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""], seconds: 120)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test func itsManifestIsReadAndAsksForWhatTheCodeUses() throws {
    let name = try #require(StrategyName("badge"))
    let manifest = try StrategyManifest(parsing: Array(block("yaml").utf8), of: name)
    #expect(manifest.operations == [.login, .logout])
    #expect(
      manifest.grants == [
        "http:setting:EXPO_PUBLIC_SG_URL:DELETE", "http:setting:EXPO_PUBLIC_SG_URL:POST", "vault:use:auth.sessionId",
        "vault:use:auth.cookieName", "prompt",
      ])
  }
}
