import Foundation
import TestSupport
import Testing

@testable import DeviceAttestation

@Suite("refusals of attestations")
struct RefusalTests {
  @Test("each reason has a text of its own, and a vector that meets it")
  func reasons() throws {
    let all = AttestationRefusal.Reason.allCases
    #expect(Set(all.map(\.words)).count == all.count)
    #expect(all.allSatisfy { !$0.words.isEmpty && !$0.words.hasSuffix(".") })
    let vectors = try Vectors.appAttest.get().all + Vectors.playIntegrity.get().all
    // Too little memory is the one that cannot be made here.
    #expect(Set(vectors.map(\.expected)) == Set(all.map(\.rawValue)).subtracting(["unavailable"]).union([""]))
  }

  @Test("the documentation names each reason")
  func documentation() throws {
    let text = try String(contentsOfFile: "\(Programs.checkout)/docs/ATTESTATION.md", encoding: .utf8)
    for reason in AttestationRefusal.Reason.allCases { #expect(text.contains("`\(reason.rawValue)`"), "\(reason)") }
  }

  @Test("two are equal when their reasons are, and a text of one's own is kept")
  func equality() {
    #expect(AttestationRefusal(.nonce) == AttestationRefusal(.nonce, "another text"))
    #expect(AttestationRefusal(.nonce) != AttestationRefusal(.requestNonce))
    #expect(AttestationRefusal(.chain, "a text").description == "a text")
    #expect(AttestationRefusal(.chain).description == AttestationRefusal.Reason.chain.words)
  }
}

@Suite("base64 of keys and objects")
struct Base64TextTests {
  @Test("RFC 4648 10 is read, and only with its padding and its alphabet")
  func reading() {
    for (text, bytes) in [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
      ("Zm9vYmFy", "foobar"),
    ] {
      #expect(Base64Text.decode(text) == Array(bytes.utf8), "\(text)")
    }
    #expect(Base64Text.decode("+/+/") == [0xFB, 0xFF, 0xBF])
    for wrong in [
      "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "==", "====", "Z===", "-_-_", "Zm9v\n", "Zm 9v", "Zm=v", "Zg==Zg==",
    ] {
      #expect(Base64Text.decode(wrong) == nil, "\(wrong)")
    }
  }
}
