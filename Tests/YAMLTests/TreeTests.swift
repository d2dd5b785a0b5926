import Basics
import Testing

@testable import YAML

func parse(_ text: String, limits: YAMLLimits = .standard) throws -> YAMLNode {
  try YAMLDocument.parse(Array(text.utf8), file: "a.yaml", limits: limits)
}

/// The message and hint of the failure that a text leads to; nil when it is accepted.
func refusal(_ bytes: [UInt8], limits: YAMLLimits = .standard) -> Failure? {
  do {
    _ = try YAMLDocument.parse(bytes, file: "a.yaml", limits: limits)
    return nil
  } catch { return error }
}

func refusal(_ text: String, limits: YAMLLimits = .standard) -> Failure? { refusal(Array(text.utf8), limits: limits) }

@Suite struct TreeTests {
  @Test func keepsOrderAndPlaces() throws {
    let root = try parse("a: 1\nbc:\n  - x\n  - {d: 'é', ü: y}\n")
    let entries = try root.entries()
    #expect(entries.map(\.name) == ["a", "bc"])
    #expect(entries.map(\.place.line) == [1, 2])
    #expect(entries[0].value.place == YAMLPlace(file: "a.yaml", line: 1, column: 4))
    let items = try entries[1].value.items()
    #expect(items[0].place == YAMLPlace(file: "a.yaml", line: 3, column: 5))
    let inner = try items[1].entries()
    // Columns count Unicode scalars: the é in front is two bytes and one column.
    #expect(inner[1].place == YAMLPlace(file: "a.yaml", line: 4, column: 14))
    #expect(try inner[0].value.string() == "é")
  }

  @Test func tellsPlainFromQuoted() throws {
    let items = try parse("- true\n- 'true'\n- \"1\"\n- 1\n- |\n  2\n").items()
    #expect(items.map(\.kind) == [.bool(true), .string, .string, .integer(1), .string])
  }

  @Test func readsCommentsBlocksAndFlow() throws {
    let root = try parse("# c\n---\na: |\n  one\n  two\nb: >\n  one\n  two\nc: {d: [e, f]}\n...\n")
    let fields = try root.anyFields(of: "a thing")
    #expect(try fields.required("a").string() == "one\ntwo\n")
    #expect(try fields.required("b").string() == "one two\n")
    #expect(try fields.required("c").anyFields(of: "c").required("d").strings() == ["e", "f"])
  }

  @Test func acceptsAByteOrderMarkAndCRLF() throws {
    #expect(try parse("\u{FEFF}a: 1\r\nb: 2\r\n").entries().map(\.name) == ["a", "b"])
  }

  @Test func aLargeMappingKeepsItsNamesApart() throws {
    let text = (0..<500).map { "k\($0): \($0)\n" }.joined()
    #expect(try parse(text).entries().count == 500)
    let failure = refusal(text + "k7: again\n")
    #expect(failure?.message == "a.yaml:501:1: 'k7' stands here twice")
  }
}

@Suite struct ScalarTests {
  @Test(
    arguments: [
      ("", .null), ("~", .null), ("null", .null), ("Null", .null), ("nUll", .string),
      ("true", .bool(true)), ("False", .bool(false)), ("TRUE", .bool(true)), ("tRue", .string),
      ("yes", .string), ("no", .string), ("on", .string), ("off", .string), ("y", .string), ("N", .string),
      ("0", .integer(0)), ("-12", .integer(-12)), ("+3", .integer(3)), ("012", .integer(12)), ("0o17", .integer(15)),
      ("0x1F", .integer(31)), ("0o8", .string), ("0x", .string), ("1_000", .string),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", .integer(nil)),
      ("1:30", .string), ("190:20:30", .string), ("2026-09-04", .string),
      ("1.5", .float), (".5", .float), ("5.", .float), ("-1e3", .float), ("1e", .string), (".", .string),
      ("-", .string),
      (".inf", .float), ("-.INF", .float), (".nan", .float), ("+.nan", .string), ("1.2.3", .string), ("1a", .string),
    ] as [(String, YAMLScalarKind)])
  func meansWhatTheCoreSchemaSays(text: String, kind: YAMLScalarKind) {
    #expect(YAMLScalarKind(plain: text) == kind)
  }
}
