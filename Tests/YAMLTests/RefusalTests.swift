import Basics
import Testing

@testable import YAML

@Suite struct RefusalTests {
  @Test(arguments: [
    ("a: &x 1\n", "a.yaml:1:4: anchors"),
    ("a: &x [1]\n", "a.yaml:1:4: anchors"),
    ("a: &x {b: 1}\n", "a.yaml:1:4: anchors"),
    ("a: *x\n", "a.yaml:1:4: aliases"),
    ("a: !!str 1\n", "a.yaml:1:4: tags"),
    ("a: !mine {}\n", "a.yaml:1:4: tags"),
    ("a: ! 1\n", "a.yaml:1:4: tags"),
    ("%TAG ! tag:x,2026:\n---\na: 1\n", "a.yaml:1:1: %TAG"),
    ("%YAML 1.1\n---\na: 1\n", "a.yaml:1:1: the file says that it is YAML 1.1"),
    ("a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document"),
    ("a: 1\na: 2\n", "a.yaml:2:1: 'a' stands here twice"),
    ("a: 1\n'a': 2\n", "a.yaml:2:1: 'a' stands here twice"),
    ("<<: {a: 1}\n", "a.yaml:1:1: merge keys"),
    ("?\n: 1\n", "a.yaml:1:2: a name is missing"),
    ("? [a]\n: 1\n", "a.yaml:1:3: a name must be text"),
    ("", "a.yaml:1:1: the file is empty"),
    ("# only a comment\n", "a.yaml:1:1: the file is empty"),
    ("a: [1\n", "a.yaml:2:1: this is not YAML"),
    ("a: 'x\n", "a.yaml:2:1: this is not YAML"),
    ("a:\n\tb: 1\n", "a.yaml:2:1: this is not YAML"),
    ("a: 1\n b: 2\n", "a.yaml:2:3: this is not YAML"),
    ("a: b\u{0}c\n", "a.yaml:1:5: this is not text"),
    ("a: b\u{1b}[31m\n", "a.yaml:1:5: this is not text"),
  ])
  func refusesWithAPlaceAndANextStep(text: String, message: String) throws {
    let failure = try #require(refusal(text))
    #expect(failure.code == .configuration)
    #expect(failure.message.hasPrefix(message), "\(failure.message)")
    #expect(failure.hint?.isEmpty == false)
  }

  @Test func refusesWhatIsNotUTF8() throws {
    let failure = try #require(refusal(Array("a: 1\nb: x".utf8) + [0xC3, 0x28, 0x0A]))
    #expect(failure.message.hasPrefix("a.yaml:2:6: this is not text in UTF-8"), "\(failure.message)")
    let wide = try #require(refusal([0xFF, 0xFE] + "a: 1".utf8.flatMap { [$0, 0] }))
    #expect(wide.message.hasPrefix("a.yaml:1:1: this is not text in UTF-8"), "\(wide.message)")
  }

  @Test func aBillionLaughsIsRefusedAtItsFirstAnchor() throws {
    var text = "a0: &a0 [lol]\n"
    for level in 1...30 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    #expect(try #require(refusal(text)).message.hasPrefix("a.yaml:1:5: anchors"))
  }

  @Test(arguments: ["[", "{a: ", "- "])
  func deepNestingIsRefused(opening: String) throws {
    let clock = ContinuousClock()
    var failure: Failure?
    let time = clock.measure { failure = refusal(String(repeating: opening, count: 200_000)) }
    #expect(try #require(failure).message.contains("more than 32 levels deep"))
    #expect(time < .seconds(2))
  }

  @Test func thirtyTwoLevelsAreFine() throws {
    _ = try parse(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
    #expect(refusal(String(repeating: "[", count: 33) + String(repeating: "]", count: 33)) != nil)
  }

  @Test func tooManyValuesAreRefused() throws {
    let text = "[" + String(repeating: "1,", count: 60_000) + "]"
    #expect(try #require(refusal(text)).message.contains("more than 50000 values"))
  }

  @Test func aHugeFileIsRefusedUnread() throws {
    #expect(try #require(refusal([UInt8](repeating: 0x61, count: 1 << 20 + 1))).message.contains("larger than 1048576"))
    _ = try parse("a: " + String(repeating: "x", count: 1 << 19))
  }

  @Test func aPlaceNeverStartsALine() {
    let failure = try? YAMLDocument.parse(Array("a: *x".utf8), file: "x\n::error::y")
    #expect(failure == nil)
    do { _ = try YAMLDocument.parse(Array("a: *x".utf8), file: "x\n::error::y") } catch {
      #expect(!error.message.contains("\n"))
    }
  }

  // A parser of libyaml's has buffers of about 80 KB, so 3,000 lost ones would be 240 MB.
  @Test func theParserIsFreedOnEveryWayOut() throws {
    func residentMegabytes() throws -> Int {
      let text = String(decoding: try Files.read("/proc/self/statm", limit: 200), as: UTF8.self)
      return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4096 >> 20
    }
    let texts = [
      "a: 1\n", "a: &x [b]\n", "a: [\n", "a: 1\na: 2\n", "a: \u{0}\n", String(repeating: "[", count: 40), "",
    ]
    for text in texts { _ = refusal(text) }
    let before = try residentMegabytes()
    for _ in 0..<3000 { for text in texts { _ = refusal(text) } }
    #expect(try residentMegabytes() - before < 100)
  }

  // Every prefix of a document, and every single byte replaced: an answer or a failure, never a trap.
  @Test func damagedTextIsSurvived() {
    let bytes = Array("%YAML 1.2\n---\na: [1, 'b', {c: |\n  d\n}]\n\"é\": >-\n  x\n? k\n: v\n".utf8)
    for end in bytes.indices { _ = refusal(Array(bytes[..<end])) }
    for index in bytes.indices {
      for byte: UInt8 in [0, 0x09, 0x0A, 0x21, 0x26, 0x2A, 0x3A, 0x5B, 0x7B, 0x80, 0xFF] {
        var changed = bytes
        changed[index] = byte
        if let failure = refusal(changed) { #expect(failure.code == .configuration) }
      }
    }
  }
}
