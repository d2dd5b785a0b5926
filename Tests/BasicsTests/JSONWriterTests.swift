import Basics
import Testing

/// What ``JSONWriter`` writes is what ``JSONValue`` writes.
@Suite struct JSONWriterTests {
  @Test(arguments: [
    "", "plain", "a \"quoted\" \\ text", "line\nend\ttab\u{1}", "é, 日本, 🙂", "\u{202E}turned", "\u{7F}",
    String(repeating: "x", count: 5_000),
  ])
  func stringsAreQuotedAlike(_ text: String) throws {
    var writer = JSONWriter()
    writer.add("first", text)
    writer.add("second", oneOrMore: [text])
    writer.add("third", oneOrMore: [text, text])
    writer.add(text, value: .array([.string(text), .null]))
    let expected: JSONValue = .object([
      .init("first", .string(text)), .init("second", .string(text)), .init("third", .strings([text, text])),
      .init(text, .array([.string(text), .null])),
    ])
    #expect(String(decoding: writer.object(), as: UTF8.self) == expected.text)
  }

  @Test func numbersAndPlainTexts() {
    var writer = JSONWriter(capacity: 1)
    writer.add("least", Int64.min)
    writer.add("moment", Timestamp(seconds: 1_800_000_000))
    writer.add("none", oneOrMore: [])
    writer.add("token", plain: "eyJh.bGci-_")
    let text = #"{"least":-9223372036854775808,"moment":1800000000,"none":[],"token":"eyJh.bGci-_"}"# + "\n"
    #expect(String(decoding: writer.line(), as: UTF8.self) == text)
    #expect(String(decoding: JSONWriter().object(), as: UTF8.self) == "{}")
  }
}
