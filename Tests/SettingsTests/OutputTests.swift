import Basics
import Settings
import Testing

@Suite struct OutputTests {
  private func report(_ text: String, name: String = ".env", catalog: Catalog = Catalog(file: "none")) throws
    -> LintReport
  {
    try Linter(catalog: catalog, options: LintOptions()).lint(stack: stack((name, text)), modes: ["development"])
  }

  private func text(_ file: String) throws -> String {
    try report(file).text(catalog: Catalog(file: "none"))
  }

  /// Marks stand below their place on a long line too, whatever its scalars are, and such a line may have many findings.
  @Test func longLines() throws {
    for (scalar, count) in [("a", 1_000), ("é", 700), ("\u{1F511}", 5_000), ("é", 255), ("é", 256)] {
      let shown = try text("A=1\n" + String(repeating: scalar, count: count) + "=1\n")
      let found = try report("A=1\n#\nA='x' " + String(repeating: scalar, count: count) + "\n").findings
      #expect(shown.contains(".env:2:1: "))
      #expect(found.contains { $0.range?.line == 3 && $0.range?.endColumn == 7 + count }, "\(found)")
    }
    let start = ContinuousClock.now
    #expect(try text(String(repeating: "=", count: 12_000) + "\n").contains(".env:1:12000: "))
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test(arguments: [
    "DB_PASSWORD=hunter2\n", "DB_PASSWORD='hunter2' hunter2\n", "DB_PASSWORD=x#hunter2\n", "MY PASSWORD=hunter2\n",
    "PASSWORD: hunter2\n", "DB_PASSWORD=\"hunter2\nB=\"1\"\n", "A=\"x\nDB_PASSWORD=hunter2\nB=\"1\"\n",
    "A= \nDB_PASSWORD=hunter2\n", "DB_PASSWORD= \nhunter2=1\n", "DB_PASSWORD=\"l1\nhunter2\n\" x\n", "hunter2+/abc\n",
    "K=-----BEGIN PRIVATE KEY-----\nhunter2=\n-----END PRIVATE KEY-----\n", "DB_PASSWORD=a$hunter2\n",
    "DB_PASSWORD=${N:-hunter2}\n", "  # PASSWORD=hunter2 \n# x\n  # PASSWORD=hunter2\n", "export\tPASSWORD=hunter2\n",
    "A=1\rDB_PASSWORD=hunter2\rB=2\n", "A=1\rPASSWORD: hunter2\n", "A=1\0DB_PASSWORD=hunter2\n",
    "API_KEY: hunter2=hunter2\n",
    "DB_PASSWORD='x\nhunter2\n", "DB_PASSWORD=x\nhunter2 hunter2\n", "api-key=hunter2\n", "PASSWORD1=hunter2\n",
    "EXPO_PUBLIC_DBKEY=hunter2\n", "SMTP_PASS=hunter2\n",
  ])
  func excerptsHideSecrets(file: String) throws {
    let shown = try text(file)
    #expect(shown.contains("|"))
    #expect(!shown.split(separator: "\n").contains { $0.contains("|") && $0.contains("hunter2") }, "\(shown)")
  }

  // Neither does the rest of a finding: a name that goes over into a value is cut, and what a swallowed line refers to is
  // not told.
  @Test(arguments: [
    "TOKEN: '${hunter2}'=1\n", "PASSWORD: \"hunter2=x\"\n", "I=1\rDB_PASSWORD=$hunter2\n",
    "D= \nDB_PASSWORD=${hunter2}\n",
    "C=\"y\nDB_PASSWORD=$hunter2\nC=\"y\n", "D= \nPASSWORD: $hunter2\n", "EXPO_PUBLIC_API_KEY: hunter2=x\n",
    "D= \nI=1\rdb.password=$hunter2\n",
  ])
  func messagesHideSecrets(file: String) throws {
    let report = try report(file)
    for out in [report.text(catalog: Catalog(file: "none")), report.github(), report.json.text] {
      #expect(!out.contains("hunter2"), "\(out)")
    }
  }

  @Test func onlyOurOwnWordsBeginALine() throws {
    let file = "::error::boom=1\n::warning file=x::boom\nA=\u{1B}[2J\u{2028}::error::x\rB\n##vso[task]=1\n"
    for line in try text(file).split(separator: "\n") {
      #expect(line.hasPrefix(".env:") || line.hasPrefix("  "), "\(line)")
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 })
    }
    let hostile = try report("x\n", name: "::error::boom").text(catalog: Catalog(file: "none"))
    #expect(hostile.hasPrefix("./::error::boom:1:1: error:"))
  }

  @Test func marksStandBelowThePlace() throws {
    let lines = try text("# é\n\tA\té=${N}${B}\nB=1\n").split(separator: "\n").map(String.init)
    let excerpt = try #require(lines.firstIndex { $0.hasPrefix("  2 |") && $0.contains("${N}") })
    let caret = try #require(lines[excerpt + 1].firstIndex(of: "^"))
    let column = lines[excerpt + 1].distance(from: lines[excerpt + 1].startIndex, to: caret)
    #expect(column >= 6)
    #expect(lines[excerpt].unicodeScalars.count >= column)
  }

  @Test func annotationsAreEscaped() throws {
    let out = try report("x\n", name: "a,b:c%\r\n::error::.env").github()
    #expect(
      out.hasPrefix(
        "::error file=a%2Cb%3Ac%25%0D%0A%3A%3Aerror%3A%3A.env,line=1,endLine=1,col=1,endColumn=2,title=syntax::"))
    #expect(out.split(separator: "\n").count == 1)
    #expect(out.contains("%0A"))
    let keys = try report("100%\t\u{2028}\n::error::x=1\n").github()
    #expect(
      keys.split(separator: "\n").allSatisfy {
        $0.hasPrefix("::error file=.env") || $0.hasPrefix("::warning file=.env")
      })
  }

  @Test func jsonHasTheShapeOfTheContract() throws {
    let out = try report("A=1\nA=2\n").json.text
    #expect(
      out == #"{"version":1,"modes":["development"],"files":[".env"],"findings":["#
        + #"{"rule":"duplicate-key","severity":"warning","modes":["development"],"file":".env","line":2,"column":1,"#
        + #""endLine":2,"endColumn":2,"key":"A","message":"A is set again; line 1 no longer counts","#
        + #""help":"keep one of the two","fix":null},"#
        + #"{"rule":"unknown-key","severity":"warning","modes":["development"],"file":".env","line":2,"column":1,"#
        + #""endLine":2,"endColumn":2,"key":"A","message":"no catalog declares A","#
        + #""help":"declare it in the catalog, or remove it","fix":null}],"summary":{"errors":0,"warnings":2}}"#)
  }

  @Test func severitiesAreSetByOption() throws {
    var options = LintOptions()
    try options.take(rule: "duplicate-key=error")
    try options.take(rule: "unknown-key=off")
    let report = try Linter(catalog: Catalog(file: "none"), options: options)
      .lint(stack: stack((".env", "A=1\nA=2\n")), modes: ["development"])
    #expect(report.findings.map(\.severity) == [.error])
    for wrong in ["duplicate-key", "duplicate-key=loud", "no-such-rule=off", ""] {
      #expect(throws: Failure(.usage, "")) { try options.take(rule: wrong) }
    }
  }

  @Test func whatTheCatalogSaysIsPlaced() throws {
    let catalog = Catalog.builtin()
    let found = try findings("EXPO_PUBLIC_SG_URL='ftp://x'\nEXPO_PUBLIC_AUTH_STRATEGY=\n", catalog: catalog)
    #expect(found.map(\.rule) == [.invalidValue])
    #expect(found.first?.place == "1:20-1:29")
    let missing = try findings("EXPO_PUBLIC_AUTH_STRATEGY=basic\n", catalog: catalog)
    #expect(missing.map(\.rule) == [.missingRequired])
    #expect(missing.first?.file == nil && missing.first?.range == nil)
    let url = "EXPO_PUBLIC_SG_URL=ws://192.168.1.2\n"
    #expect(try findings(url, catalog: catalog).map(\.severity) == [.warning])
    #expect(try findings(url, catalog: catalog, mode: "production").map(\.severity) == [.error])
    // A value that is wrong because the reader got it wrong has one finding.
    let swallowed = try findings("EXPO_PUBLIC_SG_URL= \nEXPO_PUBLIC_SG_DB=mfs\n", catalog: catalog)
    #expect(swallowed.map(\.rule) == [.blankAfterEquals])
  }
}
