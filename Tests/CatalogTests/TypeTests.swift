import Testing

@testable import Settings

@Suite struct TypeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let fields: String
    let right: [String]
    let wrong: [String]
    var testDescription: String { fields }
  }

  static let cases = [
    Case(fields: "type: string", right: ["x", "a b", "é"], wrong: []),
    Case(fields: "type: string, min: 2, max: 4", right: ["ab", "abcd", "éé"], wrong: ["a", "abcde", "ééé"]),
    Case(
      fields: "type: enum, values: [basic, Demo]", right: ["basic", "Demo"],
      wrong: ["BASIC", "demo", " basic", "basic "]),
    Case(
      fields: "type: bool", right: ["true", "false"],
      wrong: ["True", "TRUE", "yes", "no", "on", "off", "1", "0", " true", "true\n"]),
    Case(
      fields: "type: integer",
      right: ["0", "-1", "42", "9223372036854775807", "-9223372036854775808"],
      wrong: ["", "-", "+1", "01", "-01", "1.0", "1e3", "0x1", " 1", "1 ", "9223372036854775808", "١", "1_000", "--1"]),
    Case(fields: "type: integer, min: -2, max: 2", right: ["-2", "0", "2"], wrong: ["-3", "3"]),
    Case(
      fields: "type: duration, unit: seconds, min: 0, max: 86400", right: ["0", "300", "86400"],
      wrong: ["-1", "86401", "300s", "5m", "1.5"]),
    Case(
      fields: "type: scopes, contains: [openid]", right: ["openid", "openid email profile", "profile openid a:b/c"],
      wrong: [
        "email", "openid  email", " openid", "openid ", "openid,email", "openid\temail", "openid openid", "openid é",
        "openid \"x\"", "openid a\\b",
      ]),
    Case(
      fields: "type: database", right: ["mfs", "m", "mfs_1", "a$()+-b"],
      wrong: ["Mfs", "1mfs", "_mfs", "mfs db", "m/f", "mfs?", "é", "m\n", String(repeating: "a", count: 241)]),
    Case(
      fields: "type: pattern, pattern: '[a-z]+-[0-9]{2}'", right: ["ab-12"], wrong: ["ab-1", "xab-123", "AB-12", "-12"]),
    Case(
      fields: "type: list", right: ["a", "a,b", "a b,c"], wrong: [",", "a,", ",a", "a,,b", "a, b", "a ,b", "a,b,a"]),
    Case(
      fields: "type: list, pattern: '[a-z]+', min: 2, max: 3", right: ["a,b", "a,b,c"],
      wrong: ["a", "a,b,c,d", "a,B", "a,b1"]),
    Case(
      fields: "type: url, schemes: [wss, ws], components: [scheme, host, port]",
      right: ["wss://a", "WSS://a.example", "ws://10.0.0.1:4984", "wss://[::1]:4984", "wss://a_b.example."],
      wrong: [
        "https://a", "a", "//a", "wss:", "wss:/a", "wss://", "wss://a/", "wss://a/mfs", "wss://a?x", "wss://a#x",
        "wss://a:",
        "wss://a:0", "wss://a:65536", "wss://a:+1", "wss://a:1:2", "wss://u@a", "wss://u:p@a", "wss://@a", "wss:// a",
        "wss://a b",
        "wss://a\n", "wss://é.example", "wss://-a", "wss://a-", "wss://a..b", "wss://1.2.3", "wss://1.2.3.256",
        "wss://01.2.3.4",
        "wss://0x7f.1", "wss://2130706433", "wss://[::1", "wss://::1", "wss://[1::2::3]", "wss://[12345::]",
        "wss://[fe80::1%25eth0]",
        "wss://%61.example", " wss://a", "wss://a\\b",
      ]),
    Case(
      fields: "type: url, schemes: [https], components: [scheme, host, port, path]",
      right: ["https://a/", "https://a/realms/x", "https://a:8443/a%20b"],
      wrong: [
        "https://a?", "https://a#", "https://a/%2", "https://a/%zz", "https://a/a b", "https://a/\"", "https://a/{x}",
      ]),
    Case(
      fields: "type: url, schemes: [https]", right: ["https://a?x=1&y#z", "https://a/?x/?:@#/?"],
      wrong: ["https://u@a", "https://a#b#c"]),
    Case(
      fields: "type: url, schemes: [https], components: [scheme, host]", right: ["https://a"], wrong: ["https://a:1"]),
  ]

  @Test(arguments: cases) func takesTheRightAndRefusesTheWrong(_ item: Case) throws {
    let type = try settingType(item.fields)
    for value in item.right { #expect(type.problem(with: value) == nil, "\(value)") }
    for value in item.wrong { #expect(type.problem(with: value) != nil, "\(value)") }
  }

  @Test func aProblemNeverRepeatsTheValue() throws {
    let canary = "Zq7Xw9"
    for item in TypeTests.cases {
      let type = try settingType(item.fields)
      for value in [
        canary, "wss://u:\(canary)@a", "https://a/\(canary) x", "openid \(canary)\"", "a,\(canary)1", "-\(canary)",
      ] {
        guard let problem = type.problem(with: value) else { continue }
        #expect(
          !problem.phrase.contains(canary) && problem.help?.contains(canary) != true, "\(item.fields): \(problem)")
      }
    }
  }

  @Test func aNearMissGetsAHint() throws {
    #expect(
      try settingType("type: enum, values: [oidc_code, demo]").problem(with: "oidc-code")?.help
        == "did you mean 'oidc_code'?")
    let url = try settingType("type: url, schemes: [wss], components: [scheme, host, port]")
    #expect(url.problem(with: "wss://a/")?.phrase == "has a path, a single '/'")
    #expect(url.problem(with: "wss://u:p@a")?.phrase == "has a user name or password in front of its host")
  }
}
