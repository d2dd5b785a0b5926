import Basics
import Foundation
import Testing

@testable import StrategyHost

/// Manifests are read strictly.
struct ManifestTests {
  private let good = PluginFolder.manifest

  private func read(_ text: String) throws -> StrategyManifest {
    let name = try #require(StrategyName("probe"))
    return try StrategyManifest(parsing: Array(text.utf8), of: name)
  }

  @Test func aGoodOneIsRead() throws {
    let manifest = try read(good)
    #expect(manifest.version == "1.2.3")
    #expect(manifest.operations == [.login, .refresh])
    #expect(manifest.settings.map(\.name) == ["EXPO_PUBLIC_SG_URL", "EXPO_PUBLIC_SG_DB"])
    #expect(manifest.settings.map(\.isRequired) == [true, false])
    #expect(
      manifest.grants == [
        "http:setting:EXPO_PUBLIC_SG_URL:GET", "http:setting:EXPO_PUBLIC_SG_URL:POST", "vault:use:auth.password",
        "vault:read:auth.identifier", "prompt",
      ])
  }

  @Test func fixedOriginsAndOwnValuesAreRead() throws {
    let manifest = try read(
      good.replacingOccurrences(of: "setting:EXPO_PUBLIC_SG_URL", with: "https://login.example.com:8443")
        .replacingOccurrences(of: "auth.identifier", with: "auth.plugin.probe.device"))
    #expect(manifest.grants.contains("http:https://login.example.com:8443:GET"))
    #expect(manifest.grants.contains("vault:read:auth.plugin.probe.device"))
  }

  @Test(arguments: [
    ("manifest: 1", "manifest: 2", "this form of manifest"), ("manifest: 1\n", "", "needs the field 'manifest'"),
    ("name: probe", "name: other", "not that of the file"), ("abi: 1", "abi: 2", "newer than ABI 1"),
    ("abi: 1", "abi: one", "whole number"), ("abi: 1", "abi: 0", "out of range"),
    ("version: 1.2.3", "version: ''", "empty"),
    ("version: 1.2.3", "version: " + String(repeating: "9.", count: 40) + "x", "longer than 64"),
    ("summary: A plugin of the tests.\n", "", "needs the field 'summary'"),
    ("summary: A", "colour: red\nsummary: A", "no field 'colour'"),
    ("operations: [login, refresh]", "operations: [refresh]", "cannot log in"),
    ("operations: [login, refresh]", "operations: [login, login]", "twice"),
    ("operations: [login, refresh]", "operations: [login, reset]", "not one of"),
    ("operations: [login, refresh]", "operations: login", "must be a list"),
    ("interaction: login", "interaction: always", "not one of"),
    ("interaction: login", "interaction: never", "'interaction' is never"),
    ("- name: EXPO_PUBLIC_SG_DB", "- name: EXPO_PUBLIC_SG_URL", "twice"),
    ("- name: EXPO_PUBLIC_SG_DB", "- name: 'A B'", "not the name of a setting"),
    ("required: true", "required: yes", "true or false"), ("required: true", "needed: true", "no field 'needed'"),
    ("origin: setting:EXPO_PUBLIC_SG_URL", "origin: setting:OTHER", "not a setting of the list"),
    ("origin: setting:EXPO_PUBLIC_SG_URL", "origin: http://h", "not an origin"),
    ("origin: setting:EXPO_PUBLIC_SG_URL", "origin: https://h/path", "not an origin"),
    ("origin: setting:EXPO_PUBLIC_SG_URL", "origin: https://*.h", "not an origin"),
    ("origin: setting:EXPO_PUBLIC_SG_URL", "origin: '*'", "not an origin"),
    ("methods: [GET, POST]", "methods: []", "no methods"), ("methods: [GET, POST]", "methods: [HEAD]", "not one of"),
    ("methods: [GET, POST]", "methods: [get]", "not one of"),
    ("    - name: auth.password", "    - name: mfs.dbkey.main", "may not have this value"),
    ("    - name: auth.password", "    - name: auth.binding", "may not have this value"),
    ("    - name: auth.password", "    - name: auth.plugin.basic.x", "may not have this value"),
    ("    - name: auth.password", "    - name: auth.plugin.probe.", "may not have this value"),
    ("    - name: auth.password", "    - name: auth.identifier", "twice"),
    ("access: use", "access: write", "not one of"),
    ("  prompt:\n    purpose: asks for the password", "  prompt: yes", "must be a mapping"),
    ("  prompt:", "  camera:\n    purpose: looks\n  prompt:", "no field 'camera'"),
    ("needs:", "needs: &a", "anchor"), ("manifest: 1", "manifest: 1\nmanifest: 1", "twice"),
  ])
  func aBadOneIsRefused(from: String, to: String, said: String) throws {
    let text = good.replacingOccurrences(of: from, with: to)
    try #require(text != good)
    do {
      _ = try read(text)
      Issue.record("it was read")
    } catch {
      let failure = try #require(error as? Failure)
      #expect(failure.code == .pluginRefused)
      #expect(failure.message.contains(said), "\(failure)")
      #expect(failure.message.hasPrefix("mfs-strategy-probe.yaml:"), "\(failure)")
    }
  }

  @Test func aBombIsRefused() {
    #expect(throws: Failure(.pluginRefused, "")) { try read(String(repeating: "[", count: 10_000)) }
    #expect(throws: Failure(.pluginRefused, "")) { try read("a: " + String(repeating: "x", count: 100_000)) }
  }
}
