import Basics
import SecureMemory
import TestSupport
import Testing

@testable import DeviceAttestation

@Suite("changed attestations, assertions and tokens")
struct MutationTests {
  private enum Change {
    case flip(Int)
    case other
  }

  /// Bytes with one to three bits flipped, or cut, or with a piece left out, doubled or put in elsewhere; never the same bytes.
  private func change(_ bytes: [UInt8], _ random: inout SeededGenerator) -> (bytes: [UInt8], change: Change) {
    while true {
      var changed = bytes
      var change = Change.other
      let at = Int.random(in: bytes.indices, using: &random)
      let end = min(bytes.count, at + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        changed[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        change = .flip(at)
      case 4:
        for _ in 0..<3 {
          changed[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
      case 5: changed = Array(bytes.prefix(at))
      case 6: changed.removeSubrange(at..<end)
      default: changed.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
      }
      if changed != bytes { return (changed, change) }
    }
  }

  @Test("2,000 changed attestations are refused, but for the receipt, which nothing in them covers")
  func attestations() throws {
    let vectors = try Vectors.appAttest.get()
    let verifier = try verifier(vectors)
    let vector = try vectors.named("production")
    let (object, keyID, hash) = (vector.bytes("object"), vector.bytes("keyID"), vector.bytes("clientDataHash"))
    let good = try verifier.verifyAttestation(object, keyID: keyID, clientDataHash: hash, now: vectorTime)
    var random = SeededGenerator(1)
    var reasons: Set<String> = []
    for _ in 0..<2_000 {
      let (changed, _) = change(object, &random)
      var taken: AppAttestKey?
      let refused = refusal { () throws(AttestationRefusal) in
        taken = try verifier.verifyAttestation(changed, keyID: keyID, clientDataHash: hash, now: vectorTime)
      }
      reasons.insert(refused)
      guard let taken else { continue }
      // Then all but the receipt is as it was.
      #expect(taken.publicKey == good.publicKey && taken.id == good.id)
      #expect(taken.receipt != good.receipt, "a change was taken: \(difference(object, changed))")
    }
    #expect(reasons.isSuperset(of: ["malformed", "certificate", "nonce", "certificate-signature"]), "\(reasons)")
  }

  private func difference(_ a: [UInt8], _ b: [UInt8]) -> String {
    let first = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
    return "at byte \(first) of \(a.count), \(b.count) are left"
  }

  @Test("2,000 changed assertions are refused")
  func assertions() throws {
    let vectors = try Vectors.appAttest.get()
    let verifier = try verifier(vectors)
    let vector = try vectors.named("an assertion")
    let (object, key, data) = (vector.bytes("object"), vector.bytes("publicKey"), vector.bytes("clientData"))
    var random = SeededGenerator(2)
    var taken: [String] = []
    for round in 0..<2_000 {
      var (object, key, data) = (object, key, data)
      switch round % 5 {
      case 0: key = change(key, &random).bytes
      case 1: data = change(data, &random).bytes
      default: object = change(object, &random).bytes
      }
      let refused = refusal { () throws(AttestationRefusal) in
        _ = try verifier.verifyAssertion(object, clientData: data, publicKey: key, lastCounter: 0)
      }
      if refused.isEmpty { taken.append("\(round): " + difference(vector.bytes("object"), object)) }
    }
    #expect(taken.isEmpty)
  }

  @Test("2,000 changed integrity tokens are refused")
  func tokens() throws {
    let vectors = try Vectors.playIntegrity.get()
    let keys = try PlayIntegrityKeys(
      decryptionKeyText: secret(vectors.head.text("decryptionKey")),
      verificationKeyText: vectors.head.text("verificationKey"))
    let digest = try #require(PlayIntegrityPolicy.certificateDigest(vectors.head.text("certificate")))
    let verifier = PlayIntegrityVerifier(
      keys: keys, policy: PlayIntegrityPolicy(packageName: vectors.head.text("package"), certificateDigests: [digest]))
    let token = Array(try vectors.named("a classic request").text("token").utf8)
    func outcome(_ bytes: [UInt8]) throws -> String {
      let token = try secret(bytes)
      return refusal { () throws(AttestationRefusal) in
        _ = try verifier.verify(token, nonce: "bm9uY2UgZnJvbSB0aGUgc2VydmVy", now: vectorTime)
      }
    }
    #expect(try outcome(token) == "")
    var random = SeededGenerator(3)
    var reasons: Set<String> = []
    for _ in 0..<2_000 { reasons.insert(try outcome(change(token, &random).bytes)) }
    #expect(!reasons.contains(""))
    #expect(reasons.isSuperset(of: ["malformed", "decryption"]), "\(reasons)")
  }

  @Test("changed verdicts end in an answer, signed or not")
  func verdicts() throws {
    let vectors = try Vectors.playIntegrity.get()
    let digest = try #require(PlayIntegrityPolicy.certificateDigest(vectors.head.text("certificate")))
    let policy = PlayIntegrityPolicy(packageName: vectors.head.text("package"), certificateDigests: [digest])
    let payload = try vectors.named("a standard request").bytes("payload")
    var random = SeededGenerator(4)
    var reasons: Set<String> = []
    for _ in 0..<4_000 {
      let changed = change(payload, &random).bytes
      reasons.insert(
        refusal { () throws(AttestationRefusal) in
          _ = try policy.verdict(changed, request: .hash("aGFzaCBvZiB0aGUgcmVxdWVzdA"), now: vectorTime)
        })
    }
    #expect(reasons.isSuperset(of: ["malformed", "request-hash", "request-package"]), "\(reasons)")
  }
}
