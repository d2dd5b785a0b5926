import Basics
import Testing

@testable import Settings

@Suite struct SelfCheckTests {
  @Test(arguments: [
    ("{name: A, group: h, type: bool, summary: s}", "A stands under a group 'h' that does not exist"),
    ("{name: A, group: g, type: bool, summary: s, default: yes}", "the default of A is neither true nor false"),
    ("{name: A, group: g, type: bool, summary: s, example: TRUE}", "the example of A is neither true nor false"),
    (
      "{name: A, group: g, type: integer, max: 5, summary: s, modes: {test: {default: 6}}}",
      "the default in the mode test of A is out of range"
    ),
    (
      "{name: A, group: g, type: enum, values: [a], summary: s, discouraged: [{value: b, reason: r}]}",
      "A discourages a value that it does not accept"
    ),
    ("{name: A, group: g, type: pattern, pattern: '(', summary: s}", "the pattern of A has a '(' without a ')'"),
    ("{name: A, group: g, type: list, pattern: '[', summary: s}", "the pattern of A has a '[' without a ']'"),
    ("{name: A, group: g, type: string, summary: s, default: 'a$b'}", "the default of A cannot be written"),
    ("{name: A, group: g, type: string, summary: s, example: \"a\\nb\"}", "the example of A cannot be written"),
    ("{name: A, group: g, type: string, summary: s, secret: true, default: x}", "the default of A is a secret"),
    ("{name: A, group: g, type: string, summary: s, example: AKIAIOSFODNN7EXAMPLE}", "the example of A is a secret"),
    ("{name: A, group: g, type: bool, summary: s, required-when: {B: x}}", "names 'B', which is not declared"),
    ("{name: A, group: g, type: bool, summary: s, required-when: {A: maybe}}", "names a value that A can never have"),
    ("{name: A, group: g, type: bool, summary: s, required-when: {A: true}}", "A is required depending on itself"),
    ("{name: A, group: g, type: bool, summary: s, deprecated: {since: 1, use: B}}", "is to be replaced by B"),
    (
      "{name: A, group: g, type: bool, summary: s}, {name: A, group: g, type: bool, summary: s}",
      "the setting 'A' is declared twice"
    ),
  ])
  func noticesContradictions(setting: String, message: String) throws {
    let found = try complaints("settings: [\(setting)]\n")
    #expect(found.contains { $0.hasPrefix("c.yaml:3:") && $0.contains(message) }, "\(found)")
  }

  @Test(arguments: [
    ("rules: [{id: r, when: {B: x}, require: {A: true}, severity: error, message: m}]\n", "the rule r names 'B'"),
    ("rules: [{id: r, when: {A: true}, require: {A: x}, severity: error, message: m}]\n", "the rule r names a value"),
    (
      "rules: [{id: r, when: {A: true}, require: {A: true}, severity: error, message: m}, "
        + "{id: r, when: {A: true}, require: {A: true}, severity: error, message: m}]\n",
      "the rule 'r' is declared twice"
    ),
    ("enclave: [{name: 'a b', type: bytes, writer: w, removed-by: wipe, summary: s}]\n", "'a b' is not the name"),
    ("enclave: [{name: 'mfs.<>', type: bytes, writer: w, removed-by: wipe, summary: s}]\n", "'mfs.<>' is not the name"),
    (
      "enclave: [{name: auth.x, type: bytes, writer: w, removed-by: wipe, summary: s}]\n",
      "'auth.x' is removed by logout"
    ),
    (
      "enclave: [{name: mfs.x, type: bytes, writer: w, removed-by: logout, summary: s}]\n", "'mfs.x' is removed by wipe"
    ),
  ])
  func noticesWhatIsWrongElsewhere(text: String, message: String) throws {
    let found = try complaints("settings: [{name: A, group: g, type: bool, summary: s}]\n" + text)
    #expect(found.count == 1 && found[0].hasPrefix("c.yaml:4:") && found[0].contains(message), "\(found)")
  }

  @Test func duplicateGroupsAreNoticed() throws {
    let text = "version: 1\ngroups: [{id: g, title: G}, {id: g, title: H}]\nsettings: []\n"
    let found = try Catalog.parse(Array(text.utf8), file: "c.yaml").selfCheck()
    #expect(found.map(\.message) == ["c.yaml:1:1: the group 'g' is declared twice"])
  }

  @Test func everyComplaintHasANextStep() throws {
    let all = try catalog(
      "settings: [{name: A, group: h, type: enum, values: [a], default: b, summary: s, required-when: {A: c, D: e}}]\n"
    ).selfCheck()
    #expect(all.count == 5)
    #expect(all.allSatisfy { $0.code == .configuration && $0.hint?.isEmpty == false })
  }
}
