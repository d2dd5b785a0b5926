import JOSE
import TestSupport
import Testing

@Suite("Base64url")
struct Base64URLTests {
  // RFC 4648 10, without padding, and RFC 7515 C.
  @Test(
    "the examples of the RFCs, both ways",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func examples(plain: String, encoded: String) {
    #expect(Base64URL.encode(bytes(plain)) == encoded)
    #expect(Base64URL.decode(encoded) == bytes(plain))
  }

  @Test("the alphabet that is safe in a URL")
  func alphabet() {
    #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
    #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
  }

  @Test(
    "refuses padding, line ends, other alphabets, one character alone, and bits that are left over",
    arguments: [
      "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9v", "+/+/", "A", "Zm9vA", "Zh", "Zn", "Zm9", "Zm9v.", "Zg\u{0}", "Zgé",
    ])
  func refused(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test("every length and every byte comes back")
  func roundTrip() throws {
    var random = SeededGenerator(1)
    for count in 0..<200 {
      let original = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let encoded = Base64URL.encode(original)
      #expect(Base64URL.decode(encoded) == original)
      let isSame = bytes(encoded).withUnsafeBytes { Base64URL.decodeSecret($0)?.withBytes { Array($0) } } == original
      #expect(isSame)
      let secret = try original.withUnsafeBytes { try Base64URL.encodeSecret($0).publicText() }
      #expect(secret == encoded)
    }
  }

  @Test("no two texts mean the same bytes")
  func canonical() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    var seen: Set<[UInt8]> = []
    for first in alphabet {
      for second in alphabet {
        guard let decoded = Base64URL.decode("\(first)\(second)") else { continue }
        #expect(seen.insert(decoded).inserted)
      }
    }
    #expect(seen.count == 256)
  }

  /// Bytes that are written into memory that is there have the same text, and nothing is written beyond it.
  @Test func intoMemory() {
    for count in 0...70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 83 &+ count) }
      let text = Base64URL.encode(bytes)
      var target = [UInt8](repeating: 0x2A, count: text.utf8.count + 4)
      let written = unsafe target.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBytes { unsafe Base64URL.encode($0, into: target) }
      }
      #expect(written == text.utf8.count)
      #expect(String(decoding: target, as: UTF8.self) == text + "****")
    }
    var small = [UInt8](repeating: 0x2A, count: 3)
    let written = unsafe small.withUnsafeMutableBytes { target in
      unsafe [1, 2, 3].withUnsafeBytes { unsafe Base64URL.encode($0, into: target) }
    }
    #expect(written == 0)
    #expect(small == [0x2A, 0x2A, 0x2A])
  }
}
