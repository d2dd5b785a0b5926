import Basics
import TestSupport
import Testing

@testable import Settings

private func file(_ name: String) throws -> String {
  String(decoding: try Files.read(Programs.checkout + "/" + name, limit: 1 << 20), as: UTF8.self)
}

@Suite struct BuiltinTests {
  @Test func theBuiltInCatalogIsTheFile() throws {
    let parsed = try CatalogSource(Catalog.read(Programs.checkout + "/env/catalog.yaml")).text
    #expect(CatalogSource(Catalog.builtin()).text == parsed, "run make generate")
    #expect(try file("Sources/Settings/Catalog/BuiltinCatalog.swift") == parsed, "run make generate")
    #expect(Catalog.builtin().includes.isEmpty)
  }

  @Test func itIsSound() throws { #expect(Catalog.builtin().selfCheck() == []) }

  @Test func itDeclaresWhatTheAppReads() throws {
    let catalog = Catalog.builtin()
    let defaults = [
      "EXPO_PUBLIC_AUTH_STRATEGY": "basic", "EXPO_PUBLIC_SG_DB": "mfs",
      "EXPO_PUBLIC_OIDC_SCOPES": "openid email profile", "EXPO_PUBLIC_AUTH_BEARER_ON_REPL": "false",
      "EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC": "300", "EXPO_PUBLIC_DB_ENCRYPTION": "false",
    ]
    for (name, value) in defaults { #expect(catalog.setting(name)?.defaultValue == value) }
    for name in [
      "EXPO_PUBLIC_SG_URL", "EXPO_PUBLIC_OIDC_ISSUER", "EXPO_PUBLIC_OIDC_CLIENT_ID",
      "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT", "EXPO_PUBLIC_REPLICATION_COLLECTIONS",
    ] {
      #expect(catalog.setting(name) != nil && catalog.setting(name)?.defaultValue == nil)
    }
    #expect(catalog.settings.count == 15)
    #expect(
      catalog.enclave.map(\.name) == [
        "auth.strategy", "auth.signInId", "auth.binding", "auth.identifier", "auth.password", "auth.sessionId",
        "auth.sessionExpiresAt", "auth.cookieName", "auth.idToken", "auth.idTokenExpiresAt", "auth.refreshToken",
        "auth.employeeId", "auth.plugin.<strategy>.<name>", "mfs.deviceId", "mfs.dbkey.<database>",
      ])
  }
}

@Suite struct GeneratorTests {
  @Test func theDocumentIsFresh() throws {
    #expect(try SettingsDocument(Catalog.builtin()).text == file("docs/SETTINGS.md"), "run mfsctl env docs --write")
  }

  @Test func theExampleIsFresh() throws {
    #expect(try EnvExample(Catalog.builtin()).text == file("env/.env.example"), "run mfsctl env example --write")
  }

  @Test func theDocumentSaysWhatReadersLookFor() throws {
    let text = SettingsDocument(Catalog.builtin()).text
    for setting in Catalog.builtin().settings { #expect(text.contains("### \(setting.name)\n")) }
    for key in Catalog.builtin().enclave { #expect(text.contains("| `\(key.name)` |")) }
    #expect(text.contains("fixed margin of 30 s") && text.contains("No settings are declared here."))
    #expect(text.hasSuffix("|\n") && !text.contains("\n\n\n"))
  }

  // Every value in the example, read by the plainest rules there are, is right and so is the whole.
  @Test func theExampleIsRight() throws {
    let catalog = Catalog.builtin()
    var values: [String: String] = [:]
    var waiting: [String: String] = [:]
    for line in EnvExample(catalog).text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "="), !line.hasPrefix("# ") else { continue }
      let value = line[line.index(after: equals)...]
      let isQuoted = value.hasPrefix("'")
      #expect(!isQuoted || value.hasSuffix("'") && value.count >= 2)
      let text = String(isQuoted ? value.dropFirst().dropLast() : value)
      #expect(!text.contains { "'$\\\"`".contains($0) } && (isQuoted || !text.contains { " #".contains($0) }))
      if line.hasPrefix("#") {
        waiting[String(line[..<equals].dropFirst())] = text
      } else {
        values[String(line[..<equals])] = text
      }
    }
    #expect(values["EXPO_PUBLIC_AUTH_STRATEGY"] == "demo")
    #expect(Set(values.keys).union(waiting.keys) == Set(catalog.settings.map(\.name)))
    for mode in ["development", "production", "test"] { #expect(catalog.problems(in: values, mode: mode) == []) }
    // With everything filled in it is right as well.
    #expect(catalog.problems(in: values.merging(waiting) { $1 }, mode: "production") == [])
  }

  @Test func secretsAndDeprecatedSettingsAreNotLive() throws {
    let text = EnvExample(
      try catalog(
        """
        settings:
          - {name: A, group: g, type: string, secret: true, required: true, summary: s}
          - {name: B, group: g, type: bool, default: true, deprecated: {since: 2}, summary: s}
          - {name: C, group: g, type: string, required: true, example: a b, summary: s}

        """)
    ).text
    #expect(text.contains("\n#A=\n") && text.contains("\n#B=true\n") && text.contains("\nC='a b'\n"))
  }
}

@Suite struct HostileTextTests {
  private static let hostile =
    "x\n::error::y\r\n# h\n\u{1b}[31m|`|<script>alert(1)</script>\u{2028}::z \u{202E}[l](javascript:1) \\| *b* A=B"

  private func hostileCatalog() -> Catalog {
    let text = HostileTextTests.hostile
    return Catalog(
      file: "c.yaml", groups: [.init(id: "g", title: text)],
      settings: [
        Setting(
          name: "A", group: "g", type: .enumeration([text, "`", "``a|"]), defaultValue: text,
          modes: ["production": .init(defaultValue: text)], summary: text, details: text + "\n\n::" + text,
          example: text,
          deprecated: .init(since: text, use: text), discouraged: [.init(value: text, reason: text)]),
        Setting(
          name: "B", group: "g", type: .pattern("a|`b\n::c"), secret: true, summary: "::s",
          details: "::d\n\n- e\n\n1. f"),
      ],
      rules: [
        CatalogRule(
          id: "r", when: .init([.init(key: "A", values: [text])]), require: .init([.init(key: text, values: ["`"])]),
          severity: .error, message: text)
      ],
      enclave: [EnclaveKey(name: text, kind: .bytes, writer: text, removedBy: .wipe, summary: text)])
  }

  @Test func noTextStartsALineOfTheDocument() {
    let text = SettingsDocument(hostileCatalog()).text
    let mayStart = [
      "<!-- Made by", "# Settings", "## ", "### ", "| ", "- ", "The app reads", "against what", "What stands", "rest; ",
    ]
    for line in text.split(separator: "\n") {
      #expect(
        !line.hasPrefix("::") && !line.contains("\u{1b}") && !line.contains("\u{202E}") && !line.contains("\u{2028}"))
      let isProse = line.hasPrefix("x ") || line.hasPrefix("\\:") || line.hasPrefix("\\- e") || line.hasPrefix("1\\. f")
      #expect(isProse || mayStart.contains { line.hasPrefix($0) }, "\(line)")
    }
    #expect(!text.contains("<script>") || !text.replacingCodeSpans().contains("<script>"))
  }

  @Test func everyRowOfATableKeepsItsCells() {
    let text = SettingsDocument(hostileCatalog()).text
    var columns = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        columns = 0
        continue
      }
      let pipes = line.unescapedPipes
      if columns == 0 { columns = pipes }
      #expect(pipes == columns, "\(line)")
    }
  }

  @Test func everyLineOfTheExampleIsACommentOrAKey() {
    let text = EnvExample(hostileCatalog()).text
    for line in text.split(separator: "\n") {
      #expect(line.hasPrefix("# ") || line == "#A=" || line == "#B=", "\(line)")
      #expect(!line.contains("\u{1b}") && !line.contains("\r"))
    }
  }

  @Test(arguments: [
    ("a `b` c", "a `b` c"), ("a ` b", "a \\` b"), ("`a` ` `b`", "`a`\\ `b`"), ("``", "\\`\\`"), ("_a_b_", "\\_a_b\\_"),
    ("A_B", "A_B"), ("<b>", "\\<b\\>"), ("# h", "\\# h"), ("- l", "\\- l"), ("12. l", "12\\. l"), ("::x", "\\::x"),
    ("  x", "x"), ("> q", "\\> q"), ("a\nb", "a b"), ("[l](u)", "\\[l\\](u)"), ("~~~", "\\~\\~\\~"), ("===", "\\==="),
    ("&amp;", "\\&amp;"),
  ])
  func escapesMarks(text: String, markdown: String) {
    if text == "`a` ` `b`" {
      // An odd mark makes none of them a code span.
      #expect(Markdown.prose(text) == "\\`a\\` \\` \\`b\\`")
    } else {
      #expect(Markdown.prose(text) == markdown)
    }
  }

  // With a combining mark behind it a bar or a backtick is another character to Swift, and the same to a reader.
  @Test func marksThatCombineHideNothing() {
    let mark = "\u{301}"
    #expect(Markdown.code("a|\(mark)b", inTable: true) == "<code>a&#124;&#769;b</code>")
    #expect(Markdown.code("`\(mark)a") == "`` `\(mark)a ``" && Markdown.code("a`\(mark)") == "``a`\(mark)``")
    #expect(Markdown.code(" \(mark)a") == "`  \(mark)a `")
    #expect(Markdown.prose("a|\(mark)b", inTable: true) == "a\\|\(mark)b")
    for text in ["a`\(mark)b", "`a`\(mark)|b", "`a\(mark)|b`", "`a|\(mark)b`"] {
      let scalars = Array(Markdown.prose(text, inTable: true).unicodeScalars)
      for (index, scalar) in scalars.enumerated() where scalar == "|" {
        #expect(index > 0 && scalars[index - 1] == "\\", "\(text): a bare bar ends a cell")
      }
    }
    let row = Markdown.row([Markdown.code("x|\(mark)y", inTable: true), Markdown.prose("z", inTable: true)])
    #expect(row.unicodeScalars.count { $0 == "|" } == 3)
  }

  @Test func codeSpansHoldAnything() {
    #expect(Markdown.code("a") == "`a`" && Markdown.code("`") == "`` ` ``" && Markdown.code("a``b") == "```a``b```")
    #expect(Markdown.code("a|b") == "`a|b`" && Markdown.code("a|b_", inTable: true) == "<code>a&#124;b&#95;</code>")
  }

  @Test(
    arguments: [
      ("", ""), ("a", "a"), ("a-b_c.d/e:f@g%h+i,j=k", "a-b_c.d/e:f@g%h+i,j=k"), ("a b", "'a b'"), ("a#b", "'a#b'"),
      ("\"", "'\"'"),
      ("'", nil), ("$", nil), ("\\", nil), ("a\nb", nil), ("é", nil), ("\t", nil),
    ] as [(String, String?)])
  func valuesAreWrittenForEveryReader(value: String, written: String?) {
    #expect(PortableValue.written(value) == written)
  }
}

extension String {
  /// Without what stands between runs of backticks of the same length.
  fileprivate func replacingCodeSpans() -> String {
    var out = ""
    var rest = self[...]
    while let start = rest.firstIndex(of: "`") {
      out += rest[..<start]
      let fence = rest[start...].prefix { $0 == "`" }
      rest = rest[start...].dropFirst(fence.count)
      if out.hasSuffix("\\") { continue }
      var search = rest
      while let next = search.firstIndex(of: "`") {
        let run = search[next...].prefix { $0 == "`" }
        search = search[next...].dropFirst(run.count)
        if run.count == fence.count {
          rest = search
          break
        }
      }
    }
    return out + rest
  }
}

extension Substring {
  /// The pipes of a table row that no backslash stands before.
  fileprivate var unescapedPipes: Int {
    var count = 0
    var isEscaped = false
    for character in self {
      if character == "|", !isEscaped { count += 1 }
      isEscaped = character == "\\" && !isEscaped
    }
    return count
  }
}
