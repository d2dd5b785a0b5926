import Basics
import Foundation
import TestSupport
import Testing

@testable import Settings

@Suite struct LoadingTests {
  @Test func readsTheFormOfTheManual() throws {
    let catalog = try Catalog.parse(
      Array(
        """
        version: 1
        groups: [{id: auth, title: Sign-in}]
        settings:
          - name: EXPO_PUBLIC_AUTH_STRATEGY
            group: auth
            type: enum
            values: [basic, oidc_implicit, oidc_code]
            summary: How.
          - name: EXPO_PUBLIC_OIDC_ISSUER
            group: auth
            type: url
            schemes: [https]
            required-when: {EXPO_PUBLIC_AUTH_STRATEGY: [oidc_implicit, oidc_code]}
            default: null
            modes: {production: {default: https://p.example.com, required: true}}
            secret: false
            summary: The identity provider's issuer.
            details: More.
            example: https://login.example.com
            deprecated: null
          - {name: OLD, group: auth, type: bool, default: false, summary: s, deprecated: {since: 2.0, use: EXPO_PUBLIC_OIDC_ISSUER}}
        rules:
          - id: r
            when: {OLD: ["true"]}
            require: {EXPO_PUBLIC_AUTH_STRATEGY: [oidc_implicit, oidc_code]}
            severity: warning
            message: No.
        enclave: [{name: auth.x, type: string, writer: w, removed-by: logout, summary: s}]
        include: []
        """.utf8), file: "c.yaml")
    #expect(catalog.selfCheck().isEmpty)
    let issuer = try #require(catalog.setting("EXPO_PUBLIC_OIDC_ISSUER"))
    #expect(issuer.type == .url(URLRule(schemes: ["https"])))
    #expect(issuer.requiredWhen?.terms.first?.values == ["oidc_implicit", "oidc_code"])
    #expect(issuer.defaultValue == nil && issuer.defaultValue(in: "production") == "https://p.example.com")
    #expect(!issuer.isRequired(in: "test") && issuer.isRequired(in: "production"))
    #expect(issuer.place.description == "c.yaml:9:5")
    #expect(catalog.setting("OLD")?.deprecated == .init(since: "2.0", use: "EXPO_PUBLIC_OIDC_ISSUER"))
    #expect(catalog.setting("OLD")?.defaultValue == "false")
    #expect(catalog.rules.map(\.severity) == [.warning])
    #expect(catalog.enclave.map(\.removedBy) == [.logout])
    #expect(catalog.setting("NEW") == nil)
  }

  @Test(arguments: [
    ("settings: []\nmore: 1\n", "c.yaml:4:1: a catalog has no field 'more'"),
    ("setings: []\n", "c.yaml:3:1: a catalog has no field 'setings'"),
    ("rules: []\n", "c.yaml:1:1: a catalog needs the field 'settings'"),
    ("settings: {}\n", "c.yaml:3:11: this must be a list"),
    ("settings: [x]\n", "c.yaml:3:12: this must be a mapping"),
    ("settings: [{name: A, group: g, summary: s}]\n", "c.yaml:3:12: a setting needs the field 'type'"),
    ("settings: [{name: A, group: g, summary: s, type: strng}]\n", "c.yaml:3:50: 'strng' is not one of"),
    ("settings: [{name: A, group: g, type: bool}]\n", "c.yaml:3:12: a setting of type bool needs the field 'summary'"),
    (
      "settings: [{name: A, group: g, type: bool, summary: s, min: 1}]\n",
      "c.yaml:3:56: a setting of type bool has no field"
    ),
    ("settings: [{name: A-B, group: g, type: bool, summary: s}]\n", "c.yaml:3:19: 'A-B' is not the name of a setting"),
    ("settings: [{name: 1A, group: g, type: bool, summary: s}]\n", "c.yaml:3:19: '1A' is not the name of a setting"),
    ("settings: [{name: A, group: g, type: bool, summary: ''}]\n", "c.yaml:3:53: this string is empty"),
    ("settings: [{name: A, group: g, type: bool, summary: 7}]\n", "c.yaml:3:53: this must be a string, not a number"),
    (
      "settings: [{name: A, group: g, type: bool, summary: s, secret: yes}]\n",
      "c.yaml:3:64: this must be true or false"
    ),
    (
      "settings: [{name: A, group: g, type: bool, summary: s, required: 1}]\n",
      "c.yaml:3:66: this must be true or false"
    ),
    ("settings: [{name: A, group: g, type: bool, summary: s, default: ''}]\n", "c.yaml:3:65: an empty value counts"),
    ("settings: [{name: A, group: g, type: bool, summary: s, default: [a]}]\n", "c.yaml:3:65: this must be a single"),
    (
      "settings: [{name: A, group: g, type: bool, summary: s, modes: {a b: {}}}]\n",
      "c.yaml:3:64: 'a b' is not the name"
    ),
    (
      "settings: [{name: A, group: g, type: bool, summary: s, modes: {t: {x: 1}}}]\n",
      "c.yaml:3:68: a mode has no field"
    ),
    (
      "settings: [{name: A, group: g, type: bool, summary: s, required-when: {}}]\n",
      "c.yaml:3:71: a condition is empty"
    ),
    ("settings: [{name: A, group: g, type: bool, summary: s, required-when: {A: []}}]\n", "c.yaml:3:75: a condition"),
    (
      "settings: [{name: A, group: g, type: enum, summary: s}]\n",
      "c.yaml:3:12: a setting of type enum needs the field 'values'"
    ),
    ("settings: [{name: A, group: g, type: enum, summary: s, values: []}]\n", "c.yaml:3:64: this list is empty"),
    ("settings: [{name: A, group: g, type: enum, summary: s, values: [a, a]}]\n", "c.yaml:3:68: 'a' stands here twice"),
    ("settings: [{name: A, group: g, type: url, summary: s}]\n", "c.yaml:3:12: a setting of type url needs"),
    (
      "settings: [{name: A, group: g, type: url, summary: s, schemes: [HTTPS]}]\n",
      "c.yaml:3:65: 'HTTPS' is not a URL scheme"
    ),
    (
      "settings: [{name: A, group: g, type: url, summary: s, schemes: [ws], components: [port]}]\n",
      "c.yaml:3:82: every URL"
    ),
    (
      "settings: [{name: A, group: g, type: url, summary: s, schemes: [ws], components: [userinfo]}]\n",
      "c.yaml:3:83: 'userinfo' is not one of"
    ),
    (
      "settings: [{name: A, group: g, type: integer, summary: s, min: 2, max: 1}]\n",
      "c.yaml:3:72: max is less than min"
    ),
    (
      "settings: [{name: A, group: g, type: string, summary: s, min: -1}]\n", "c.yaml:3:63: this number is out of range"
    ),
    (
      "settings: [{name: A, group: g, type: duration, summary: s}]\n",
      "c.yaml:3:12: a setting of type duration needs the field 'unit'"
    ),
    ("settings: [{name: A, group: g, type: duration, summary: s, unit: s}]\n", "c.yaml:3:66: 's' is not one of"),
    (
      "settings: []\nrules: [{id: r, when: {}, require: {}, severity: error, message: m}]\n",
      "c.yaml:4:23: a condition is empty"
    ),
    (
      "settings: []\nrules: [{id: R, when: {A: b}, require: {A: b}, severity: error, message: m}]\n",
      "c.yaml:4:14: 'R' is not an id"
    ),
    (
      "settings: []\nrules: [{id: r, when: {A: b}, require: {A: b}, severity: off, message: m}]\n",
      "c.yaml:4:58: 'off' is not one of"
    ),
    (
      "settings: []\nenclave: [{name: a, type: int, writer: w, removed-by: wipe, summary: s}]\n",
      "c.yaml:4:27: 'int' is not one of"
    ),
    (
      "settings: []\nenclave: [{name: a, type: bytes, writer: w, removed-by: me, summary: s}]\n",
      "c.yaml:4:57: 'me' is not one of"
    ),
    ("settings: []\ninclude: [a.yaml]\n", "c.yaml:4:11: this catalog stands in no folder"),
    ("settings: []\ninclude: a.yaml\n", "c.yaml:4:10: this must be a list"),
    ("settings: &a []\n", "c.yaml:3:11: anchors"),
  ])
  func refusesEverythingElse(text: String, message: String) throws {
    let failure = try #require(refusal(text))
    #expect(failure.code == .configuration && failure.hint?.isEmpty == false)
    #expect(failure.message.hasPrefix(message), "\(failure.message)")
  }

  @Test(arguments: [
    "version: 2\nsettings: []\n", "version: '1'\nsettings: []\n", "settings: []\n", "[]\n", "x\n", "null\n",
  ])
  func refusesOtherVersionsAndForms(text: String) {
    #expect(throws: Failure(.configuration, "")) { try Catalog.parse(Array(text.utf8), file: "c.yaml") }
  }

  @Test func theFolderOfTheAppComesBeforeTheBuiltInCatalog() throws {
    let sandbox = try Sandbox()
    #expect(try Catalog.load(directory: sandbox.path, file: nil).file == "built-in catalog")
    try sandbox.write("env/catalog.yaml", "version: 1\nsettings: []\n")
    #expect(try Catalog.load(directory: sandbox.path, file: nil).file == sandbox("env/catalog.yaml"))
    let other = try sandbox.write("other.yaml", "version: 1\nsettings: []\n")
    #expect(try Catalog.load(directory: sandbox.path, file: other).file == other)
    #expect(throws: Failure(.notFound, "")) { try Catalog.load(directory: sandbox.path, file: "/nonexistent") }
    #expect(throws: Failure(.notFound, "")) { try Catalog.load(directory: sandbox("none"), file: nil) }
  }

  @Test func aCatalogThatContradictsItselfCannotBeUsed() throws {
    let sandbox = try Sandbox()
    try sandbox.write("env/catalog.yaml", "version: 1\nsettings: [{name: A, group: g, type: bool, summary: s}]\n")
    #expect(throws: Failure(.configuration, "")) { try Catalog.load(directory: sandbox.path, file: nil) }
    #expect(try Catalog.read(sandbox("env/catalog.yaml")).settings.count == 1)
  }
}

@Suite struct IncludeTests {
  private func sandbox(include: String, manifest: String) throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.write(
      "env/catalog.yaml",
      """
      version: 1
      groups: [{id: g, title: G}]
      settings: [{name: A, group: g, type: bool, summary: s}]
      include: [\(include)]

      """)
    try sandbox.write("plugins/p.yaml", manifest)
    try sandbox.write("outside.yaml", manifest)
    return sandbox
  }

  @Test func takesTheSettingsOfManifests() throws {
    let sandbox = try sandbox(
      include: "../plugins/p.yaml",
      manifest: """
        manifest: 1
        operations: [login]
        settings:
          - {name: B, group: g, type: integer, summary: s}
          - {name: A, required: true}
          - A

        """)
    let catalog = try Catalog.load(directory: sandbox.path, file: nil)
    #expect(catalog.settings.map(\.name) == ["A", "B"])
    #expect(catalog.includes == ["../plugins/p.yaml"])
  }

  private static let catalog = """
    version: 1
    groups: [{id: g, title: G}]
    settings:
      - {name: EXPO_PUBLIC_AUTH_STRATEGY, group: g, type: enum, values: [basic], default: basic, summary: s}
      - {name: A, group: g, type: bool, summary: s, required-when: {EXPO_PUBLIC_AUTH_STRATEGY: basic}}
      - {name: B, group: g, type: bool, summary: s}
      - {name: C, group: g, type: bool, summary: s, required-when: {B: "true"}}
      - {name: D, group: g, type: bool, summary: s}
    include: [../plugins/p.yaml, ../plugins/q.yaml]

    """

  @Test func aStrategyCanBeChosenAndNeedsItsSettingsThen() throws {
    let sandbox = try Sandbox()
    try sandbox.write("env/catalog.yaml", IncludeTests.catalog)
    try sandbox.write(
      "plugins/p.yaml",
      """
      name: badge
      settings:
        - {name: A, required: true}
        - {name: B, required: true}
        - {name: C, required: true}
        - {name: D}
        - {name: E, group: g, type: integer, required: true, summary: s}
        - {name: F, group: g, type: integer, summary: s}

      """)
    try sandbox.write("plugins/q.yaml", "name: basic\nsettings: [D]\n")
    let catalog = try Catalog.load(directory: sandbox.path, file: nil)
    #expect(catalog.setting("EXPO_PUBLIC_AUTH_STRATEGY")?.type == .enumeration(["basic", "badge"]))
    func needed(_ name: String, _ values: [String: String]) -> Bool? {
      catalog.setting(name).map { $0.required || $0.requiredWhen?.holds { values[$0] } ?? false }
    }
    let badge = ["EXPO_PUBLIC_AUTH_STRATEGY": "badge"], basic = ["EXPO_PUBLIC_AUTH_STRATEGY": "basic"]
    for (name, withBadge, withBasic) in [
      ("A", true, true), ("B", true, false), ("C", false, false), ("D", false, false), ("E", true, false),
      ("F", false, false),
    ] {
      #expect(needed(name, badge) == withBadge, "\(name)")
      #expect(needed(name, basic) == withBasic, "\(name)")
    }
    #expect(needed("C", ["B": "true"]) == true)
  }

  @Test func oneStrategyHasOneManifest() throws {
    let sandbox = try Sandbox()
    try sandbox.write("env/catalog.yaml", IncludeTests.catalog)
    for (name, message) in [("badge", "the strategy 'badge' has a manifest already"), ("Bad-ge", "is not the name")] {
      try sandbox.write("plugins/p.yaml", "name: badge\n")
      try sandbox.write("plugins/q.yaml", "name: \(name)\n")
      do {
        _ = try Catalog.load(directory: sandbox.path, file: nil)
        Issue.record("\(name) was accepted")
      } catch { #expect(error.message.contains("q.yaml:1:7: ") && error.message.contains(message), "\(error)") }
    }
  }

  @Test func saysWhereAManifestIsWrong() throws {
    for (manifest, message) in [
      ("settings: [{name: B, group: g, type: nope, summary: s}]\n", "p.yaml:1:38: 'nope' is not one of"),
      ("settings: [{required: true}]\n", "p.yaml:1:12: a manifest's setting needs the field 'name'"),
      ("settings: [AA]\n", "p.yaml:1:12: no setting is named 'AA'"),
      ("settings: [{name: A, group: g, type: bool, summary: s}]\n", "p.yaml:1:12: the setting 'A' is declared twice"),
      ("settings: &x []\n", "p.yaml:1:11: anchors"),
    ] {
      let sandbox = try sandbox(include: "../plugins/p.yaml", manifest: manifest)
      do {
        _ = try Catalog.load(directory: sandbox.path, file: nil)
        Issue.record("\(manifest) was accepted")
      } catch { #expect(error.message.contains(message), "\(error.message)") }
    }
  }

  @Test(arguments: ["/etc/passwd", "../../outside.yaml", "x/../../../outside.yaml", "a/../../../b"])
  func neverLeavesTheFolderOfTheApp(path: String) throws {
    let sandbox = try sandbox(include: path, manifest: "settings: []\n")
    do {
      _ = try Catalog.load(directory: sandbox.path, file: nil)
      Issue.record("\(path) was accepted")
    } catch { #expect(error.message.contains("leads out of the app's folder"), "\(error.message)") }
  }

  @Test func aLinkDoesNotLeadOutOfTheFolderOfTheApp() throws {
    for include in ["../plugins/link.yaml", "../away/p.yaml", "link.yaml"] {
      let sandbox = try Sandbox(), elsewhere = try Sandbox()
      try elsewhere.write("p.yaml", "secret: of another folder\n")
      try sandbox.write(
        "env/catalog.yaml", "version: 1\ngroups: []\nsettings: []\ninclude: [\(include)]\n")
      try sandbox.write("plugins/p.yaml", "settings: []\n")
      for (link, target) in [
        ("plugins/link.yaml", elsewhere("p.yaml")), ("away", elsewhere.path), ("env/link.yaml", elsewhere("p.yaml")),
      ] { try FileManager.default.createSymbolicLink(atPath: sandbox(link), withDestinationPath: target) }
      do {
        _ = try Catalog.load(directory: sandbox.path, file: nil)
        Issue.record("\(include) was accepted")
      } catch {
        #expect(error.code == .configuration)
        #expect(error.message.contains("catalog.yaml:4:11: '\(include)' leads out of the app's folder by a link"))
      }
    }
    // A link that stays inside is as good as a file, and so is a folder of catalogs that is itself a link.
    let sandbox = try sandbox(include: "../plugins/link.yaml", manifest: "settings: []\n")
    try FileManager.default.createSymbolicLink(atPath: sandbox("plugins/link.yaml"), withDestinationPath: "p.yaml")
    #expect(try Catalog.load(directory: sandbox.path, file: nil).includes == ["../plugins/link.yaml"])
    let other = try Sandbox()
    try FileManager.default.createSymbolicLink(atPath: other("env"), withDestinationPath: sandbox("env"))
    #expect(try Catalog.load(directory: other.path, file: nil).includes == ["../plugins/link.yaml"])
  }

  @Test func thereIsALimitToWhatItReads() throws {
    let many = (0..<65).map { "../plugins/\($0).yaml" }.joined(separator: ", ")
    let sandbox = try sandbox(include: many, manifest: "settings: []\n")
    for number in 0..<65 { try sandbox.write("plugins/\(number).yaml", "settings: []\n") }
    #expect(throws: Failure(.configuration, "")) { try Catalog.load(directory: sandbox.path, file: nil) }
  }

  @Test func aMissingManifestIsNotFound() throws {
    let sandbox = try sandbox(include: "../plugins/q.yaml", manifest: "settings: []\n")
    #expect(throws: Failure(.notFound, "")) { try Catalog.load(directory: sandbox.path, file: nil) }
  }
}

@Suite struct DamagedCatalogTests {
  // The built-in catalog cut short and with bytes replaced: read or refused, documented if read, never a trap.
  @Test func isReadOrRefused() throws {
    let bytes = try Files.read(Programs.checkout + "/env/catalog.yaml", limit: 1 << 20)
    var texts = stride(from: 0, to: bytes.count, by: 211).map { Array(bytes[..<$0]) }
    for index in stride(from: 3, to: bytes.count, by: 131) {
      for byte: UInt8 in [0x0A, 0x20, 0x22, 0x2D, 0x3A, 0x5B, 0x7C, 0xC3] {
        var changed = bytes
        changed[index] = byte
        texts.append(changed)
      }
    }
    let values = ["EXPO_PUBLIC_SG_URL": "ws://10.1.1.1", "EXPO_PUBLIC_REPLICATION_COLLECTIONS": "a.b", "X": "y"]
    var readable = 0
    for text in texts {
      do throws(Failure) {
        let catalog = try Catalog.parse(text, file: "c.yaml")
        readable += 1
        _ = catalog.selfCheck()
        _ = catalog.problems(in: values, mode: "production")
        for line in SettingsDocument(catalog).text.split(separator: "\n") { #expect(!line.hasPrefix("::")) }
        _ = EnvExample(catalog).text
      } catch {
        #expect(error.code == .configuration && error.message.hasPrefix("c.yaml:") && error.hint != nil)
      }
    }
    #expect(readable > 0 && readable < texts.count)
  }
}
