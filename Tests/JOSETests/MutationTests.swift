import Basics
import SecureMemory
import TestSupport
import Testing

@testable import JOSE

@Suite("Altered and made-up tokens")
struct MutationTests {
  @Test("no token is taken of which any bit was changed", arguments: JWSAlgorithm.allCases)
  func flips(algorithm: JWSAlgorithm) throws {
    let key = try #require(Keys.all.first { $0.algorithm == algorithm })
    let token = try forge(#"{"alg":"\#(algorithm.rawValue)"}"#, #"{"sub":"alice"}"#, by: key)
    let original = bytes(token)
    let keys = set(key)
    let verifier = JWSVerifier()
    var taken: [Int] = []
    for index in original.indices {
      for bit in 0..<8 {
        var altered = original
        altered[index] ^= 1 << UInt8(bit)
        let isTaken = altered.withUnsafeBytes { bytes in
          refusal { () throws(TokenRefusal) in _ = try verifier.verify(bytes, keys: keys) } == nil
        }
        if isTaken { taken.append(index) }
      }
    }
    #expect(taken.isEmpty)
  }

  @Test("no token is taken that was cut, doubled or had a byte put in")
  func cuts() throws {
    let original = bytes(text(try Keys.edDSA.sign(claims: ["sub": "alice"])))
    let keys = set(Keys.edDSA)
    var random = SeededGenerator(7)
    var altered =
      original.indices.map { Array(original.prefix($0)) }
      + original.indices.dropFirst().map { Array(original.suffix($0)) }
    for _ in 0..<2_000 {
      var one = original
      switch Int.random(in: 0..<3, using: &random) {
      case 0: one.remove(at: Int.random(in: one.indices, using: &random))
      case 1: one.insert(UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...one.count, using: &random))
      default:
        let start = Int.random(in: one.indices, using: &random)
        one.replaceSubrange(start..<min(one.count, start + 5), with: one.prefix(Int.random(in: 0..<9, using: &random)))
      }
      if one != original { altered.append(one) }
    }
    let taken = altered.filter { bytes in
      bytes.dropLast(0) != original[...]
        && bytes.withUnsafeBytes { bytes in
          refusal { () throws(TokenRefusal) in _ = try JWSVerifier().verify(bytes, keys: keys) } == nil
        }
    }
    #expect(taken.count == 0)
  }

  /// A value of any kind, and now and then a broken one.
  private func value(_ random: inout SeededGenerator, depth: Int) -> String {
    let pieces = [
      "null", "true", "-1", "1e999", "1e-999", "0.5", "18446744073709551616", "\"\"", "\"ES256\"", "\"\\ud800\"",
      "\"\\u0000\"",
      "01", "NaN", "\"", "[", "}", "\"a\" \"b\"", "\"\u{202E}\"", "-", "1E+", "\"\\x\"",
    ]
    switch Int.random(in: 0..<10, using: &random) {
    case 0 where depth < 40:
      return "["
        + (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) }
        .joined(separator: ",") + "]"
    case 1 where depth < 40:
      return "{"
        + (0..<Int.random(in: 0..<4, using: &random)).map { _ in
          "\"\(["alg", "kid", "a", "crit"].randomElement(using: &random) ?? "")\":" + value(&random, depth: depth + 1)
        }.joined(separator: ",") + "}"
    default: return pieces.randomElement(using: &random) ?? ""
    }
  }

  @Test("random headers and payloads, rightly signed, end in an answer")
  func random() throws {
    var random = SeededGenerator(42)
    let keys = set(Keys.edDSA)
    let validator = IDTokenValidator(issuer: "https://issuer.example", clientID: "app")
    let names = ["alg", "kid", "typ", "crit", "b64", "jwk", "iss", "aud", "exp", "iat", "nonce", "sub", "azp", "nbf"]
    var reasons: Set<TokenRefusal.Reason> = []
    for round in 0..<4_000 {
      func document(_ first: String) -> String {
        let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          "\"\(names.randomElement(using: &random) ?? "")\":" + value(&random, depth: 0)
        }
        return "{" + ([first] + members).joined(separator: ",") + "}"
      }
      let header = round % 3 == 0 ? document("\"alg\":\"EdDSA\"") : #"{"alg":"EdDSA"}"#
      let payload = document(#""iss":"https://issuer.example""#)
      let token = try secret(forge(header, payload, by: Keys.edDSA))
      let refused = refusal { () throws(TokenRefusal) in
        _ = try validator.validate(
          token, expecting: IDTokenExpectation(.refresh), keys: keys, now: Timestamp(seconds: 1_800_000_000))
      }
      reasons.insert(try #require(refused).reason)
    }
    // The rounds reach beyond the first check.
    #expect(reasons.isSuperset(of: [.header, .duplicate, .critical, .payload, .missingClaim]))
  }

  @Test("random bytes end in an answer")
  func noise() throws {
    var random = SeededGenerator(3)
    let keys = set(Keys.edDSA)
    for _ in 0..<2_000 {
      let alphabet = Array("abcXYZ012-_.=\u{0}é".utf8)
      let bytes = (0..<Int.random(in: 0..<300, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      let refused = bytes.withUnsafeBytes { bytes in
        refusal { () throws(TokenRefusal) in _ = try JWSVerifier().verify(bytes, keys: keys) }
      }
      #expect(refused != nil)
    }
  }
}
