import Basics
import Testing

@Suite("The strict JSON reader")
struct JSONReaderTests {
  private func read(_ text: String) throws(JSONFault) -> JSONValue { try JSONReader.value(Array(text.utf8)) }

  private func fault(_ text: String) -> JSONFault.Kind? { fault(Array(text.utf8)) }

  private func fault(_ bytes: [UInt8], size: Int = 1 << 20, depth: Int = 32) -> JSONFault.Kind? {
    do throws(JSONFault) {
      _ = try JSONReader.value(bytes, maximumSize: size, maximumDepth: depth)
      return nil
    } catch { return error.kind }
  }

  @Test("every kind of value, members in order")
  func values() throws {
    let document = try read(#" {"b":[1,-2.5e+3,true,false,null,"x"],"a":{"c":{}},"d":[]} "#)
    #expect(
      document
        == .object([
          .init("b", .array([1, .number("-2.5e+3"), true, false, nil, "x"])),
          .init("a", .object([.init("c", .object([]))])), .init("d", []),
        ]))
    #expect(document.text == #"{"b":[1,-2.5e+3,true,false,null,"x"],"a":{"c":{}},"d":[]}"#)
    #expect(try read("9223372036854775807") == .integer(.max))
    #expect(try read("-9223372036854775808") == .integer(.min))
    #expect(try read("9223372036854775808") == .number("9223372036854775808"))
    #expect(try read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#).string == "\"\\/\u{8}\u{C}\n\r\té😀")
    #expect(try read("\"é😀\u{10FFFF}\"").string == "é😀\u{10FFFF}")
  }

  @Test("members by their exact names, and arrays of strings")
  func access() throws {
    let document = try read("{\"K\":1,\"a\":[\"x\",\"y\"],\"b\":[\"x\",1]}")
    #expect(document["K"] == 1)
    #expect(document["\u{212A}"] == nil)
    #expect(document["a"]?.strings == ["x", "y"])
    #expect(document["b"]?.strings == nil)
    #expect(document["b"]?.items?.count == 2)
    #expect(document["K"]?["x"] == nil)
    #expect(document.members?.count == 3)
  }

  @Test(
    "refuses what RFC 8259 does not allow",
    arguments: [
      "", " ", "{", "[", "\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[,1]", "{a:1}", "'a'", "01", "-", "1.",
      ".5",
      "1e", "1e+", "+1", "0x1", "NaN", "Infinity", "tru", "nulll", "1 2", "\"\u{1}\"", "\"\n\"", #""\x""#, #""\u12""#,
      #""\u12g4""#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800\ud800""#, "\u{FEFF}1", "[1}", "{\"a\":1]",
      "{\"a\":1}}", "\u{A0}1", "/**/1", "[1]//", "--1", "1-", "-01",
    ])
  func refused(text: String) { #expect(fault(text) == .syntax) }

  @Test(
    "no object has two members of one name, at any level, however it is written",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"[[{"x":{"a":1,"a":2}}]]"#, #"{"":1,"":2}"#,
      "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}",
    ])
  func duplicates(text: String) { #expect(fault(text) == .duplicate) }

  @Test("the same name in two objects is fine")
  func notDuplicates() { #expect(fault(#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#) == nil) }

  @Test(
    "refuses bytes that are not UTF-8",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE1, 0x80],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFE], [0xFF],
    ] as [[UInt8]])
  func encoding(bytes: [UInt8]) {
    #expect(fault([0x22] + bytes + [0x22]) == .encoding)
    #expect(fault([0x22] + bytes) == .encoding)
  }

  @Test("every scalar is read back")
  func scalars() throws {
    for value in stride(from: UInt32(0x80), through: 0x10FFFF, by: 61) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect(try read("\"\(scalar)\"").string?.unicodeScalars.first == scalar)
    }
  }

  @Test("nesting and size have an end")
  func limits() {
    let nested = { (depth: Int) in [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth) }
    #expect(fault(nested(32)) == nil)
    #expect(fault(nested(33)) == .depth)
    #expect(fault([UInt8](repeating: 0x5B, count: 1_000_000)) == .depth)
    #expect(fault(Array("{\"a\":{\"a\":1}}".utf8), depth: 3) == nil)
    #expect(fault(Array("{\"a\":{\"a\":1}}".utf8), depth: 2) == .depth)
    #expect(fault(Array("[1,2]".utf8), size: 5) == nil)
    #expect(fault(Array("[1,2]".utf8), size: 4) == .size)
  }

  @Test("a document cut anywhere is none")
  func truncated() {
    let whole = Array(#"{"session_id":"904ac0é","n":[1.5e3,{"b":false}],"u":"\u00e9"}"#.utf8)
    #expect(fault(whole) == nil)
    for length in 0..<whole.count { #expect(fault(Array(whole.prefix(length))) != nil) }
  }

  @Test("members can be found without their values being copied")
  func members() throws {
    let text = Array(#" { "a" : "secret" , "b":[1,{"c":2}],"d":1.5} "#.utf8)
    let found = try text.withUnsafeBytes { bytes in
      try JSONReader.members(bytes).map { ($0.name, String(decoding: bytes[$0.value], as: UTF8.self)) }
    }
    #expect(found.map(\.0) == ["a", "b", "d"])
    #expect(found.map(\.1) == [#""secret""#, #"[1,{"c":2}]"#, "1.5"])
    for broken in ["[]", "1", "", #"{"a":1,"a":2}"#, #"{"a":{"b":1,"b":1}}"#, #"{"a":"\x"}"#, "{\"a\":1} 2"] {
      let bytes = Array(broken.utf8)
      #expect(throws: JSONFault.self) { try bytes.withUnsafeBytes { _ = try JSONReader.members($0) } }
    }
  }

  @Test("what a fault says holds nothing of the document")
  func words() {
    for kind in JSONFault.Kind.allCases { #expect(!JSONFault(kind, at: 7).description.isEmpty) }
    #expect(JSONFault(.syntax, at: 7).description.contains("byte 7"))
  }
}
