import Settings
import Testing

@Suite struct ReaderFindingTests {
  @Test(arguments: [
    ("A=1\nnoeq\nB=2\n", "syntax", "2:1-2:5", nil),
    ("KEY: value\n", "syntax", "1:1-1:11", nil),
    ("=X=1\nA=1\n", "syntax", "1:1-1:2", nil),
    ("=\nA=1\n", "syntax", "1:1-1:2", nil),
    ("  MY KEY=1\n", "syntax", "1:3-1:9", "MY KEY"),
    ("export\tA=1\n", "syntax", "1:1-1:9", "export\\u{9}A"),
    ("# c\n  # b=1\n", "syntax", "2:3-2:6", "# b"),
    ("export A=\nB=1\n", "syntax", "1:1-1:9", "A"),
    ("A=\"a\" b # c\nB=1\n", "syntax", "1:7-1:12", "A"),
    ("A=1\rB=2\n", "syntax", "1:4-1:4", nil),
    ("A= \t\nB=2\n", "blank-after-equals", "1:3-1:5", "A"),
    ("A= \r\nB=2\r\n", "blank-after-equals", "1:3-1:4", "A"),
    ("A=\"un\nB=1\n", "unterminated-quote", "1:3-1:6", "A"),
    ("A=\"main\nB=\"web\"\nC=1\n", "unterminated-quote", "1:3-1:8", "A"),
    ("A='x\nexport B='y'\n", "unterminated-quote", "1:3-1:5", "A"),
    ("A=1\nB=2\nA=3\n", "duplicate-key", "3:1-3:2", "A"),
    ("X=${NOPE}\n", "unresolved-reference", "1:3-1:10", "X"),
    ("X=\"a $NOPE b\"\n", "unresolved-reference", "1:6-1:11", "X"),
    ("X=${X}\n", "unresolved-reference", "1:3-1:7", "X"),
    ("X=${N:-${M}}\n", "unresolved-reference", "1:8-1:12", "X"),
    ("é=1\n", "syntax", "1:1-1:2", "é"),
    ("A=é${NOPE}\n", "unresolved-reference", "1:4-1:11", "A"),
  ])
  func oneFindingIsMade(text: String, rule: String, place: String, key: String?) throws {
    let found = try findings(text)
    #expect(found.map(\.rule.rawValue) == [rule], "\(found)")
    #expect(found.first?.place == place)
    #expect(found.first?.key == key)
  }

  @Test(arguments: [
    "A= \n# c\nB=1\n", "A= \n", "A=\n\nB=1\n", "A=\"-----BEGIN\n# x\nAB=\"\nB=1\n", "A=\"x\nB=\" # end\n",
    "A='1' # it's\n", "A='#'#c\n", "# a\n#  b=1\n", "A.b-c=1\n", "export A=1\n", "A=${B:-1}\n",
    "A=$\nB=$(x)\nC=${ X }\n",
    "E=\nA=${E}\n", "A=\\$B\n", "\u{FEFF}A=1\n", "A=1\n\tB=2\n", "",
  ])
  func nothingIsFound(text: String) throws { #expect(try findings(text) == []) }

  @Test func aMissingNameIsNoUnknownKey() throws {
    let report = try Linter(catalog: Catalog(file: "none"), options: LintOptions())
      .lint(stack: stack((".env", "=\n")), modes: ["development"])
    #expect(report.findings.map(\.rule) == [.syntax])
  }

  @Test func aDuplicateInAnotherLayerIsNone() throws {
    let report = try Linter(catalog: Catalog(file: "none"), options: LintOptions(severities: [.unknownKey: .off]))
      .lint(stack: stack((".env", "A=1\n"), (".env.local", "A=2\n")), modes: ["development"])
    #expect(report.findings == [])
  }

  @Test func aCircleIsReportedOnceWithAllItsKeys() throws {
    let found = try findings("A=$B\nB=x$C\nC=${A}\nD=$A\nE=$D\n")
    #expect(found.map(\.rule) == [.referenceCycle])
    #expect(found.first?.message.contains("A -> B -> C -> A") == true)
    #expect(found.first?.place == "1:3-1:5")
  }

  @Test func nodeDoesNotExpandAndKeepsTheMark() throws {
    #expect(try findings("A=$B\nB=$A\nC=$NOPE\n", dialect: .node) == [])
    #expect(try findings("\u{FEFF}A=1\n", dialect: .node).map(\.rule) == [.encoding])
  }

  @Test func partOfAPasswordIsNotNamed() throws {
    let found = try findings("DB_PASSWORD=pa$hunter2\n")
    #expect(found.map(\.rule) == [.unresolvedReference])
    #expect(found.allSatisfy { !"\($0)".contains("hunter2") })
  }
}

@Suite struct ManyFindingsTests {
  // A file of many keys is a file; what nobody would read is counted and not kept.
  @Test func whatIsTooMuchToKeepIsCounted() throws {
    let kept = LintReport.limit
    let keys = (0..<kept + 7).map { "EXPO_PUBLIC_SESSION_REFRESH_\($0)=1\n" }.joined()
    let odd = String(repeating: "x\n", count: kept + 5) + "A=1\nA=2\n=\n"
    for (text, errors, warnings) in [(keys, kept + 7, 0), (odd, kept + 6, 2)] {
      let report = try Linter(catalog: Catalog.builtin(), options: LintOptions(severities: [.missingRequired: .off]))
        .lint(stack: stack((".env", text)), modes: ["development"])
      #expect(report.findings.count == kept)
      #expect(report.errors == errors && report.warnings == warnings, "\(report.summary)")
      #expect(report.summary.hasSuffix("; \(errors + warnings - kept) of them are not shown"))
      #expect(report.json.text.hasSuffix("\"omitted\":\(errors + warnings - kept)}}"))
    }
    // No mistyped key is far from the first.
    let first = try Linter(catalog: Catalog.builtin(), options: LintOptions())
      .lint(stack: stack((".env", "EXPO_PUBLIC_AUTH_STRATEGI=1\n" + keys)), modes: ["development"]).findings.first
    #expect(first?.help == "did you mean 'EXPO_PUBLIC_AUTH_STRATEGY'?")
  }
}
