import Basics
import Settings
import Testing
import TestSupport

@Suite struct WritingTests {
  static let samples =
    [
      "", "plain", "a b", " a ", "it's", "say \"x\"", "`x`", "it's \"x\"", "a#b", "#", "a\nb", "a\nb 'x'", "$HOME",
      "${A}",
      "a$", "$$", "$$w", "\\", "\\n", "a\\$B", "\\$", "\\\\$x", "a\\\\$ b", "${A:-$B}", "$(x)", "=", "a=b", "é\u{A0}",
      "\t",
      "export A", "'", "\"", "`", "%s\\n", "-n", "\u{1}", "x\u{7F}", "a\r\nb", "'\"`", "\n", "\n\n", "100%",
      "'\u{301}; echo x; '\u{301}", "\u{9B}31m", "\u{202E}", "\u{2028}'",
    ] + ["\u{200F}", "\u{2029}", "\u{2066}x\u{2069}", "\u{85}", "\u{FEFF}"].map { "a\($0)b" }

  @Test(arguments: Dialect.allCases)
  func whatIsWrittenIsReadBack(dialect: Dialect) throws {
    let writer = DotenvText(dialect: dialect)
    for sample in WritingTests.samples {
      guard let line = writer.line(key: "KEY", value: sample) else {
        // A value of many quotes and line ends, or with control characters, has no line of its own.
        #expect(
          ["\u{1}", "x\u{7F}", "\u{9B}31m", "a\r\nb", "a\\$B", "\\\\$x", "'\"`", "\u{202E}", "\u{2028}'"]
            .contains(sample) || sample.hasPrefix("a") && sample.unicodeScalars.contains(where: OutsideText.isUnsafe),
          "\(sample.debugDescription)")
        continue
      }
      #expect(!line.unicodeScalars.contains { OutsideText.isUnsafe($0) && $0 != "\t" })
      let read = try values(stack((".env", "\(line)\n"), dialect: dialect), dialect: dialect)
      #expect(read == ["KEY": sample], "\(line)")
    }
    #expect(writer.line(key: "A\nB", value: "1") == nil)
    for key in ["#A", "::error::x", "##[error]x"] { #expect(writer.line(key: key, value: "1") == nil) }
    #expect(writer.line(key: "AFTER", value: "1 2") == "AFTER='1 2'")
    #expect(writer.line(key: "A", value: "1 2") == "A='1 2'")
  }

  @Test func aShellReadsBackWhatIsWritten() throws {
    let sandbox = try Sandbox()
    for sample in WritingTests.samples {
      let line = try #require(ShellText.line(key: "KEY", value: sample))
      #expect(!line.unicodeScalars.contains(where: OutsideText.isUnsafe))
      try sandbox.write("script", "\(line)\nprintf %s \"$KEY\"\n")
      let result = try run(["sh", "script"], in: sandbox)
      #expect(result.status == 0)
      #expect(result.text == sample, "\(line)")
    }
    // An assignment to RANDOM evaluates its value as arithmetic, which runs `a[$(command)]`.
    for key in ["", "1A", "A B", "A-B", "é", "RANDOM", "OPTIND", "PROMPT_COMMAND", "PS1"] {
      #expect(ShellText.line(key: key, value: "x") == nil)
    }
    #expect(ShellText.line(key: "A", value: "\0") == nil)
  }

  @Test func aSwallowedSecretIsMaskedToo() throws {
    for text in [
      "D= \nPASSWORD: hunter2\n", "D= \nDB_PASSWORD=hunter2\n", "D=\"\nmy.token: hunter2\nE=\"\n",
      "API_KEY: hunter2=1\n", "D= \nI=1\rdb.password=hunter2\n",
    ] {
      let resolution = try Resolution(
        stack((".env", text)), mode: "development", dialect: .expo, catalog: Catalog(file: "none"),
        environment: Environment([:]))
      #expect(!resolution.json(reveal: false).text.contains("hunter2"), "\(text)")
    }
  }

  @Test func secretsAreMaskedThroughReferences() throws {
    let files = stack(
      (".env", "DB_PASSWORD=hunter2\nURL=db://u:$DB_PASSWORD@h\nV=${URL}\nA= \nTOKEN_SECRET=hunter2\nB=1\n"))
    let resolution = try Resolution(
      files, mode: "development", dialect: .expo, catalog: Catalog(file: "none"), environment: Environment([:]))
    #expect(resolution.values.filter { !$0.isSecret }.map(\.key) == ["B"])
    #expect(!resolution.json(reveal: false).text.contains("hunter2"))
    #expect(resolution.json(reveal: true).text.contains("hunter2"))
    for key in ["DB_PASSWORD", "URL", "V", "A"] {
      let explanation = try Explanation(
        key, files: files, mode: "development", dialect: .expo, catalog: Catalog(file: "none"),
        environment: Environment([:]))
      #expect(!explanation.text(reveal: false).contains("hunter2"))
      #expect(!explanation.json(reveal: false).text.contains("hunter2"))
    }
  }

  @Test func whatIsMeantIsResolvedToo() throws {
    let text = "A= \nB=2\nC=\"main\nD=\"web\"\nexport E=\n# c\n  # f=1\n=G=1\nH='x\n"
    let files = stack((".env", text))
    #expect(try values(files.map(\.asMeant)) == ["A": "", "B": "2", "C": "main", "D": "web", "E": "", "H": "x"])
    #expect(try values(files)["A"] == "B=2")
    #expect(Misreading.all(in: files, catalog: Catalog(file: "none")).map(\.line) == [1, 3, 5, 7, 8, 9])
    #expect(try values(stack((".env", "A=1\rB=2\r")).map(\.asMeant)) == ["A": "1", "B": "2"])
  }
}
