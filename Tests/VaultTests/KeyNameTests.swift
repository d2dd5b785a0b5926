import Basics
import TestSupport
import Testing
import YAML

@testable import Vault

@Suite struct KeyNameTests {
  @Test(arguments: ["a", "auth.sessionId", "A-Z_0.9", ".", String(repeating: "x", count: 128)])
  func goodNames(name: String) throws { #expect(try KeyName(name).text == name) }

  @Test(arguments: [
    "", " ", "a b", "a/b", "a\n", "\u{0}", "caf\u{E9}", "a\u{301}", "*", String(repeating: "x", count: 129),
  ]) func badNames(name: String) { #expect(code { _ = try KeyName(name) } == .usage) }

  @Test func whatLogoutRemovesIsExact() throws {
    for name in ["auth.x", "auth..", "auth.mfs.dbkey.main"] { #expect(try KeyName(name).isCredential) }
    for name in ["auth", "auth.", "authx", "AUTH.x", "x.auth.y", "mfs.dbkey.auth.x"] {
      #expect(try !KeyName(name).isCredential)
    }
    #expect(try KeyName("mfs.dbkey.main").isDatabaseKey)
    for name in ["mfs.dbkey", "mfs.dbkey.", "mfs.dbkeys.x", "mfs.deviceId"] {
      #expect(try !KeyName(name).isDatabaseKey)
    }
  }

  @Test func catalogedNamesAreKnown() throws {
    for name in [
      "auth.sessionId", "auth.plugin.oidc_code.state", "auth.plugin.x.y.z", "mfs.deviceId", "mfs.dbkey.main",
      "mfs.dbkey.a.b",
    ] { #expect(KeyCatalogue.entry(for: try KeyName(name)) != nil, "\(name)") }
    for name in [
      "auth.sessionid", "auth.", "auth.plugin.", "auth.plugin.x", "auth.plugin.x.", "auth.plugin..y", "mfs.dbkey.",
      "mfs.deviceid", "authx",
    ] { #expect(code { try KeyCatalogue.require(try KeyName(name)) } == .usage, "\(name)") }
  }

  /// The catalog documents the same names with the same types.
  @Test func theCatalogSaysTheSame() throws {
    let file = try YAMLDocument.read(Programs.checkout + "/env/catalog.yaml")
    var documented: [String: String] = [:]
    for item in try #require(try file.anyFields(of: "the catalog").optional("enclave")).items() {
      let fields = try item.anyFields(of: "a key")
      documented[try fields.required("name").text()] = try fields.required("type").text()
    }
    #expect(documented == Dictionary(uniqueKeysWithValues: KeyCatalogue.keys.map { ($0.name, $0.type.rawValue) }))
  }
}
