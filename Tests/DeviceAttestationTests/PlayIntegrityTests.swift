import Basics
import JOSE
import SecureMemory
import Testing

@testable import DeviceAttestation

@Suite("Play Integrity")
struct PlayIntegrityTests {
  private func keys(_ vectors: Vectors) throws -> PlayIntegrityKeys {
    try PlayIntegrityKeys(
      decryptionKeyText: secret(vectors.head.text("decryptionKey")),
      verificationKeyText: vectors.head.text("verificationKey"))
  }

  private func policy(_ vectors: Vectors, _ wish: JSONValue?) throws -> PlayIntegrityPolicy {
    let digest = try #require(PlayIntegrityPolicy.certificateDigest(vectors.head.text("certificate")))
    var policy = PlayIntegrityPolicy(packageName: vectors.head.text("package"), certificateDigests: [digest])
    switch wish?["device"]?.string {
    case "any": policy.device = .any
    case "basic": policy.device = .basic
    case "strong": policy.device = .strong
    default: break
    }
    if wish?["needsRecognisedApp"] == false { policy.needsRecognisedApp = false }
    if wish?["allowsTestVerdicts"] == true { policy.allowsTestVerdicts = true }
    return policy
  }

  private func request(_ vector: Vector) -> PlayIntegrityRequest {
    let asked = vector.members["request"]
    return asked?["nonce"]?.string.map { .nonce($0) } ?? .hash(asked?["hash"]?.string ?? "")
  }

  @Test("NA-02: good verdicts are taken, and each that is wrong in one way meets its own refusal")
  func tokens() throws {
    let vectors = try Vectors.playIntegrity.get()
    #expect(vectors.all.count > 70)
    for vector in vectors.all {
      let verifier = PlayIntegrityVerifier(
        keys: try keys(vectors), policy: try policy(vectors, vector.members["policy"]))
      let token = try secret(vector.text("token"))
      let details = (try? JSONReader.value(vector.bytes("payload")))?["requestDetails"]
      let secrets = [
        vectors.head.text("decryptionKey"), String(vector.text("token").suffix(16)),
        details?["requestHash"]?.string ?? "",
        details?["nonce"]?.string ?? "", vector.members["request"]?["hash"]?.string ?? "",
        vector.members["request"]?["nonce"]?.string ?? "",
      ]
      // What opens with the app's own keys is the token of a classic request.
      if case .nonce(let nonce) = request(vector) {
        let refused = refusal(hiding: secrets) { () throws(AttestationRefusal) in
          _ = try verifier.verify(token, nonce: nonce, now: vectorTime)
        }
        #expect(refused == vector.expected, "\(vector)")
      }
      // A verdict that Google's own service decoded is held to the same policy; what is wrong with the token alone is no matter then.
      let decoded = refusal(hiding: secrets) { () throws(AttestationRefusal) in
        _ = try verifier.policy.verdict(vector.bytes("payload"), request: request(vector), now: vectorTime)
      }
      #expect(decoded == vector.text("decoded"), "\(vector)")
    }
  }

  @Test("a verdict that is taken says what Google said")
  func verdict() throws {
    let vectors = try Vectors.playIntegrity.get()
    let verifier = PlayIntegrityVerifier(keys: try keys(vectors), policy: try policy(vectors, nil))
    let vector = try vectors.named("a classic request")
    let nonce = vector.members["request"]?["nonce"]?.string ?? ""
    let verdict = try verifier.verify(secret(vector.text("token")), nonce: nonce, now: vectorTime)
    #expect(verdict.issuedAt == vectorTime.advanced(by: -5))
    #expect(verdict.appRecognition == "PLAY_RECOGNIZED")
    #expect(verdict.packageName == "com.example.field")
    #expect(verdict.certificateDigests == Array(verifier.policy.certificateDigests))
    #expect(verdict.versionCode == "42")
    #expect(verdict.deviceLabels == ["MEETS_DEVICE_INTEGRITY"])
    #expect(verdict.licensing == "LICENSED")
    #expect(!verdict.isTest)
  }

  @Test("keys are read as the Play Console shows them, and nothing else is")
  func keys() throws {
    let vectors = try Vectors.playIntegrity.get()
    let (decryption, verification) = (vectors.head.text("decryptionKey"), vectors.head.text("verificationKey"))
    func refused(_ decryption: String, _ verification: String) throws -> Bool {
      let text = try secret(decryption)
      do throws(Failure) {
        let keys = try PlayIntegrityKeys(decryptionKeyText: text, verificationKeyText: verification)
        #expect(!keys.description.contains(decryption.prefix(12)))
        return false
      } catch {
        #expect(error.code == .configuration)
        #expect(!error.description.contains(vectors.head.text("decryptionKey").prefix(12)))
        return true
      }
    }
    #expect(try !refused(decryption, verification))
    #expect(try !refused(decryption + "\n", verification + " \n"))
    // The last of 43 characters has bits left over, which are none in A and some in B.
    let zeros = String(repeating: "A", count: 42)
    #expect(try !refused(zeros + "A=", verification))
    for wrong in [
      "", "A", zeros, zeros + "B=", zeros + "A", zeros + "AA", zeros + "==", zeros + "A=A", zeros + "A==", zeros + "*=",
      " " + zeros + "A=", String(repeating: "A", count: 64), String(decryption.dropLast()), "A" + decryption,
    ] {
      #expect(try refused(wrong, verification), "\(wrong.count) characters")
    }
    for wrong in ["", "*", String(verification.dropLast(4)), verification + verification, "AAAA"] {
      #expect(try refused(decryption, wrong), "\(wrong.count) characters")
    }
    let rsa = try SigningKey.generate(.rs256).publicKey
    let key = try SecureBytes(count: 32), short = try SecureBytes(count: 16)
    #expect(throws: Failure.self) { _ = try PlayIntegrityKeys(decryptionKey: key.copy(), verificationKey: rsa) }
    let good = try SigningKey.generate(.es256).publicKey
    #expect(throws: Failure.self) { _ = try PlayIntegrityKeys(decryptionKey: short.copy(), verificationKey: good) }
  }

  @Test("digests of certificates are read as keytool prints them")
  func digests() {
    let text = (0..<32).map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined(separator: ":")
    #expect(PlayIntegrityPolicy.certificateDigest(text) == Array(0..<32))
    #expect(PlayIntegrityPolicy.certificateDigest(text.uppercased()) == Array(0..<32))
    for wrong in [
      "", ":", String(text.dropLast()), text + ":", text + ":00", "g" + text.dropFirst(), "000" + text.dropFirst(),
    ] {
      #expect(PlayIntegrityPolicy.certificateDigest(wrong) == nil, "\(wrong)")
    }
  }
}

@Suite("AES of JWE")
struct AES256Tests {
  private func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16) ?? 0 }
  }

  @Test("a key is unwrapped as in RFC 3394 4.6, and not when a bit differs")
  func wrap() throws {
    let key = try secret(Array(0..<32))
    let wrapped = bytes("28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21")
    let plain = bytes("00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F")
    if let unwrapped = try AES256.unwrap(wrapped, by: key) {
      let isPlain = unwrapped.withBytes { Array($0) == plain }
      #expect(isPlain)
    } else {
      Issue.record("the key was not unwrapped")
    }
    for bit in 0..<wrapped.count * 8 {
      var changed = wrapped
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let isRefused = try AES256.unwrap(changed, by: key) == nil
      #expect(isRefused)
    }
    for count in [0, 8, 16, 24, 39] {
      let isRefused = try AES256.unwrap(Array(wrapped.prefix(count)), by: key) == nil
      #expect(isRefused)
    }
  }

  @Test("content is decrypted as in test case 16 of the specification of GCM")
  func gcm() throws {
    let key = try secret(bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
    let ciphertext = bytes(
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        + "c5f61e6393ba7a0abcc9f662")
    let tag = bytes("76fc6ece0f4e1768cddf8853bb2d551b"), nonce = bytes("cafebabefacedbaddecaf888")
    let additional = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    func decrypt(_ ciphertext: [UInt8], _ tag: [UInt8], _ nonce: [UInt8], _ additional: [UInt8]) throws -> [UInt8]? {
      var plain: [UInt8]?
      try additional.withUnsafeBytes { additional in
        let content = try AES256.decrypt(ciphertext, tag: tag, nonce: nonce, additional: additional, by: key)
        if let content { plain = content.withBytes { Array($0) } }
      }
      return plain
    }
    #expect(
      try decrypt(ciphertext, tag, nonce, additional)
        == bytes(
          "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
            + "b16aedf5aa0de657ba637b39"))
    #expect(try decrypt(ciphertext, tag.reversed(), nonce, additional) == nil)
    #expect(try decrypt(ciphertext, Array(tag.dropLast()), nonce, additional) == nil)
    #expect(try decrypt(ciphertext, tag, nonce.reversed(), additional) == nil)
    #expect(try decrypt(ciphertext, tag, nonce, Array(additional.dropLast())) == nil)
    #expect(try decrypt(Array(ciphertext.dropLast()), tag, nonce, additional) == nil)
  }
}
