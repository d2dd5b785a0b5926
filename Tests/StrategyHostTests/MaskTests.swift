import Basics
import SecureMemory
import Testing

@testable import StrategyHost

/// Secrets are kept out of texts, at a price that the plugin does not set.
struct MaskTests {
  private func masked(_ text: String, _ secrets: String...) throws -> String {
    var mask = try SecretMask()
    for secret in secrets { mask.add(SecureBox(try SecureBytes(publicText: secret))) }
    return mask.masked(text)
  }

  @Test(arguments: [
    ("abcd", "********"), ("xabcdx", "x********x"), ("abcabcd", "abc********"), ("abcd abcd", "******** ********"),
    ("abcdabcd", "********"), ("abcdefgh", "********"), ("efghbcdefg", "********bc********"), ("abc efg", "abc efg"),
    ("", ""), ("\u{0}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{0}"), ("日本abcd語", "日本********語"),
  ])
  func everyOccurrenceIsMasked(text: String, shown: String) throws {
    #expect(try masked(text, "abcd", "bcdefgh", "efgh", "defg", "xyz", "") == shown)
  }

  @Test(arguments: [4, 63, 64, 65, 127, 128, 129, 1_000, 4_000, 5_000, 100_000])
  func aSecretOfAnyLengthIsMasked(length: Int) throws {
    // Printable, and without a period that would make pieces of it equal.
    let codes = (0..<length).map { (index: Int) -> UInt8 in UInt8(0x21 + (index * index + index / 94) % 94) }
    let secret = String(decoding: codes, as: UTF8.self)
    #expect(try masked("<\(secret)", secret) == "<********")
    // However much of it is cut off, what is shown has no more than the beginning of one piece.
    let start = String(secret.prefix(length / 2 + 64))
    #expect(try masked("<\(start)", secret).utf8.count < 80)
  }
}
