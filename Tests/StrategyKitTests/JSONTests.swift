import StrategyKit
import Testing

@Suite("The JSON reader")
struct JSONTests {
  private func read(_ text: String) -> JSON? { JSON(Array(text.utf8)) }

  @Test("reads every kind of value")
  func values() {
    let document = read(#" {"a":[1,-2.5e+3,true,false,null,"x"],"b":{"c":{}},"d":[]} "#)
    #expect(
      document
        == .object([
          "a": .array([.number("1"), .number("-2.5e+3"), .bool(true), .bool(false), .null, .string("x")]),
          "b": .object(["c": .object([:])]), "d": .array([]),
        ]))
    #expect(document?["b"]?["c"] == .object([:]))
    #expect(read("12")?.integer == 12)
    #expect(read("1.5")?.integer == nil)
    #expect(read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#)?.text == "\"\\/\u{8}\u{C}\n\r\té😀")
    #expect(read(#"{"a":1,"a":2}"#)?["a"]?.integer == 2)
  }

  @Test(
    "refuses what RFC 8259 does not allow",
    arguments: [
      "", " ", "{", "[", "\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[,1]", "{a:1}", "'a'", "01", "-", "1.",
      ".5",
      "1e", "1e+", "+1", "0x1", "NaN", "tru", "nulll", "1 2", "\"\u{1}\"", "\"\n\"", #""\x""#, #""\u12""#, #""\u12g4""#,
      #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, "\u{FEFF}1", "[1}", "{\"a\":1]",
    ])
  func refused(text: String) { #expect(read(text) == nil) }

  @Test("refuses bytes that are not UTF-8")
  func notUTF8() { #expect(JSON([0x22, 0xC3, 0x28, 0x22]) == nil) }

  @Test("nesting has an end")
  func depth() {
    #expect(read(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) != nil)
    #expect(read(String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) == nil)
    #expect(read(String(repeating: "[", count: 1_000_000)) == nil)
  }

  @Test("a document cut anywhere is none")
  func truncated() {
    let whole = Array(#"{"session_id":"904ac0","expires":"2026-09-04T18:00:00.000Z","n":[1,{"b":false}]}"#.utf8)
    #expect(JSON(whole) != nil)
    for length in 0..<whole.count { #expect(JSON(Array(whole.prefix(length))) == nil) }
  }
}
