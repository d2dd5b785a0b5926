import Testing

@testable import Settings

@Suite struct ProblemTests {
  private func found(_ values: [String: String], mode: String = "development") throws -> [String] {
    Catalog.builtin().problems(in: values, mode: mode).map { "\($0.severity) \($0.rule.rawValue) \($0.key)" }
  }

  private let basic = ["EXPO_PUBLIC_SG_URL": "wss://sync.example.com:4984"]
  private let oidc = [
    "EXPO_PUBLIC_SG_URL": "wss://sync.example.com:4984", "EXPO_PUBLIC_AUTH_STRATEGY": "oidc_code",
    "EXPO_PUBLIC_OIDC_ISSUER": "https://login.example.com", "EXPO_PUBLIC_OIDC_CLIENT_ID": "mfs",
  ]

  @Test func nothingIsWrongWithWhatIsRight() throws {
    for mode in ["development", "production", "test", "staging"] {
      #expect(try found(basic, mode: mode) == [])
      #expect(try found(oidc, mode: mode) == [])
      #expect(try found(["EXPO_PUBLIC_AUTH_STRATEGY": "demo"], mode: mode) == [])
    }
  }

  @Test func requiredDependsOnTheStrategyAndItsDefault() throws {
    #expect(try found([:]) == ["error missing-required EXPO_PUBLIC_SG_URL"])
    #expect(try found(["EXPO_PUBLIC_SG_URL": ""]) == ["error missing-required EXPO_PUBLIC_SG_URL"])
    #expect(try found(["EXPO_PUBLIC_AUTH_STRATEGY": ""]) == ["error missing-required EXPO_PUBLIC_SG_URL"])
    #expect(try found(["EXPO_PUBLIC_AUTH_STRATEGY": "demo", "EXPO_PUBLIC_SG_URL": ""]) == [])
    var values = basic
    values["EXPO_PUBLIC_AUTH_STRATEGY"] = "oidc_code"
    #expect(
      try found(values) == [
        "error missing-required EXPO_PUBLIC_OIDC_ISSUER", "error missing-required EXPO_PUBLIC_OIDC_CLIENT_ID",
      ])
    let problem = try #require(Catalog.builtin().problems(in: ["EXPO_PUBLIC_SG_URL": ""], mode: "test").first)
    #expect(problem.message == "EXPO_PUBLIC_SG_URL is required by the value of EXPO_PUBLIC_AUTH_STRATEGY and is empty")
    #expect(problem.related == ["EXPO_PUBLIC_AUTH_STRATEGY"])
    #expect(problem.help == "set it, for example to wss://sync.example.com:4984")
  }

  @Test func invalidValuesAreErrorsAndSayNoMore() throws {
    var values = basic
    values["EXPO_PUBLIC_AUTH_STRATEGY"] = "bsic"
    values["EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC"] = "5m"
    values["EXPO_PUBLIC_OIDC_ISSUER"] = "http://login.example.com"
    values["EXPO_PUBLIC_REPLICATION_COLLECTIONS"] = "field.orders,_system.x"
    #expect(
      try found(values) == [
        "error invalid-value EXPO_PUBLIC_AUTH_STRATEGY", "error insecure-url EXPO_PUBLIC_OIDC_ISSUER",
        "error invalid-value EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC",
        "error invalid-value EXPO_PUBLIC_REPLICATION_COLLECTIONS",
      ])
  }

  @Test func discouragedValuesAreWarningsWithTheReason() throws {
    var values = oidc
    values["EXPO_PUBLIC_AUTH_STRATEGY"] = "oidc_implicit"
    values["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] = "true"
    #expect(
      try found(values) == [
        "warning discouraged EXPO_PUBLIC_AUTH_STRATEGY", "warning discouraged EXPO_PUBLIC_AUTH_BEARER_ON_REPL",
      ])
    let problem = try #require(Catalog.builtin().problems(in: values, mode: "test").first)
    #expect(problem.help?.contains("RFC 9700") == true)
  }

  @Test func aBearerNeedsAStrategyThatHasOne() throws {
    var values = basic
    values["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] = "true"
    #expect(
      try found(values) == [
        "warning discouraged EXPO_PUBLIC_AUTH_BEARER_ON_REPL", "error inconsistent EXPO_PUBLIC_AUTH_BEARER_ON_REPL",
      ])
    let problem = try #require(Catalog.builtin().problems(in: values, mode: "test").last)
    #expect(problem.related == ["EXPO_PUBLIC_AUTH_STRATEGY"])
    #expect(problem.help == "set EXPO_PUBLIC_AUTH_STRATEGY to oidc_implicit or oidc_code")
    #expect(!problem.message.hasSuffix("."))
  }

  @Test func aRulePointsAtWhatIsSet() throws {
    let catalog = try catalog(
      """
      settings:
        - {name: A, group: g, type: bool, default: true, summary: s}
        - {name: B, group: g, type: bool, summary: s}
      rules: [{id: r, when: {A: true}, require: {B: true}, severity: warning, message: m}]

      """)
    let problem = try #require(catalog.problems(in: ["B": "false"], mode: "test").first)
    #expect(problem.key == "B" && problem.related == ["A"] && problem.severity == .warning)
    #expect(catalog.problems(in: ["B": "true"], mode: "test").isEmpty)
    #expect(catalog.problems(in: [:], mode: "test").map(\.key) == ["A"])
    #expect(catalog.problems(in: ["A": "false"], mode: "test").isEmpty)
  }

  @Test func modesHaveDefaultsAndRequirementsOfTheirOwn() throws {
    let catalog = try catalog(
      """
      settings:
        - {name: A, group: g, type: enum, values: [x, y], default: x, modes: {production: {default: y}}, summary: s}
        - {name: B, group: g, type: bool, summary: s, required-when: {A: y}}
        - {name: C, group: g, type: bool, summary: s, required: true, modes: {test: {required: false}}}

      """)
    func missing(_ mode: String) -> [String] { catalog.problems(in: [:], mode: mode).map(\.key) }
    #expect(missing("development") == ["C"] && missing("production") == ["B", "C"] && missing("test") == [])
    #expect(catalog.effectiveValue("A", in: ["A": ""], mode: "production") == "y")
    #expect(catalog.effectiveValue("A", in: ["A": "x"], mode: "production") == "x")
    #expect(catalog.effectiveValue("Z", in: [:], mode: "production") == nil)
  }

  @Test func unknownKeysGetAHint() throws {
    var values = basic
    values["EXPO_PUBLIC_SG_ULR"] = "x"
    values["FOO\n::error::"] = "x"
    let problems = Catalog.builtin().problems(in: values, mode: "test")
    #expect(problems.map(\.severity) == [.error, .warning] && problems.allSatisfy { $0.rule == .unknownKey })
    #expect(problems.first?.help == "did you mean 'EXPO_PUBLIC_SG_URL'?")
    #expect(problems.allSatisfy { !$0.message.contains("\n") })
  }

  @Test(
    arguments: [
      ("EXPO_PUBLIC_SG_UR", "EXPO_PUBLIC_SG_URL"), ("SG_DB", "EXPO_PUBLIC_SG_DB"),
      ("PUBLIC_EXPO_OIDC_ISUER", nil), ("EXPO_PUBLIC_API_KEY", nil),
      ("EXPO_PUBLIC_OIDC_SCOPE", "EXPO_PUBLIC_OIDC_SCOPES"),
    ] as [(String, String?)])
  func hintsDoNotCountTheCommonPrefix(key: String, meant: String?) throws {
    let problem = try #require(
      Catalog.builtin().problems(in: basic.merging([key: "x"]) { $1 }, mode: "test").first { $0.rule == .unknownKey })
    #expect(problem.related == (meant.map { [$0] } ?? []))
    #expect(problem.help == meant.map { "did you mean '\($0)'?" } ?? "declare it in the catalog, or remove it")
  }

  @Test func deprecatedKeysNameTheirSuccessor() throws {
    let catalog = try catalog(
      """
      settings:
        - {name: A, group: g, type: bool, summary: s, deprecated: {since: 2.1, use: B}}
        - {name: B, group: g, type: bool, summary: s}

      """)
    let problem = try #require(catalog.problems(in: ["A": "true"], mode: "test").first)
    #expect(problem.rule == .deprecatedKey && problem.severity == .warning && problem.help == "set B instead")
    #expect(catalog.problems(in: ["B": "true"], mode: "test").isEmpty)
  }
}
