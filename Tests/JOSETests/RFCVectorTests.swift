import Basics
import JOSE
import Testing

@Suite("The examples of the RFCs")
struct RFCVectorTests {
  private func payload(_ token: String, _ keys: JSONWebKeySet) throws -> String {
    let token = try secret(token)
    return String(decoding: try JWSVerifier().verify(token, keys: keys).payload, as: UTF8.self)
  }

  private func key(_ json: String) throws -> JSONWebKey { try JSONWebKey(json: bytes(json)) }

  @Test("SHA-256 of one block, of two and of nothing, as FIPS 180-4's examples have them")
  func digest() {
    #expect(
      Hexadecimal.encode(SHA256.hash("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Hexadecimal.encode(SHA256.hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      Hexadecimal.encode(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("RFC 7515 A.2 (RS256) and A.3 (ES256) verify")
  func signed() throws {
    #expect(try payload(RFC7515.a2Token, JSONWebKeySet([key(RFC7515.a2Public)])) == RFC7515.payload)
    #expect(try payload(RFC7515.a3Token, JSONWebKeySet([key(RFC7515.a3Public)])) == RFC7515.payload)
  }

  @Test("RFC 7515 A.2 signs to the same token; A.3 to one that verifies")
  func signing() throws {
    let rsa = try SigningKey(json: secret(RFC7515.a2Key))
    let token = try forge(#"{"alg":"RS256"}"#, RFC7515.payload, by: rsa)
    #expect(token == RFC7515.a2Token)
    let ec = try SigningKey(json: secret(RFC7515.a3Key))
    let made = try ec.sign(bytes(RFC7515.payload), type: nil)
    #expect(try payload(text(made), set(ec)) == RFC7515.payload)
  }

  @Test("RFC 7515 A.1 (HS256) and A.5 (none) are refused for their algorithm, whatever the keys")
  func refused() throws {
    let keys = JSONWebKeySet([try key(RFC7515.a2Public), try key(RFC7515.a3Public)])
    #expect(try refusal(RFC7515.a1Token, keys)?.reason == .algorithm)
    #expect(try refusal(RFC7515.a5Token, keys)?.reason == .algorithm)
    #expect(try refusal(RFC7515.a1Token, keys)?.hint?.contains("shared secret") == true)
  }

  @Test("RFC 7517 A.1: a set of keys; A.2 and A.3 hold none that may be published")
  func sets() throws {
    let keys = try JSONWebKeySet(json: bytes(RFC7517.set))
    #expect(keys.keys.map(\.type) == [.p256, .rsa])
    #expect(keys.keys.map(\.id) == ["1", "2011-04-29"])
    #expect(keys.keys.map(\.use) == ["enc", nil])
    #expect(keys.keys.map(\.algorithm) == [nil, "RS256"])
    #expect(throws: Failure(.configuration, "")) { try key(RFC7517.privateKey) }
    let symmetric = try JSONWebKeySet(json: bytes(RFC7517.symmetric))
    #expect(symmetric.keys.isEmpty)
    #expect(symmetric.skipped.count == 2)
    let pair = try SigningKey(json: secret(RFC7517.privateKey))
    #expect(pair.publicKey.thumbprint == keys.keys[0].thumbprint)
  }

  @Test("RFC 7638 3.1 and RFC 8037 A.3: thumbprints")
  func thumbprints() throws {
    #expect(try JSONWebKeySet(json: bytes(RFC7517.set)).keys.last?.thumbprint == RFC7517.thumbprint)
    #expect(try key(RFC8037.publicKey).thumbprint == RFC8037.thumbprint)
  }

  @Test("RFC 7520 4.1 (RS256) verifies and signs to the same token")
  func cookbook() throws {
    let keys = JSONWebKeySet([try key(RFC7520.publicKey)])
    #expect(try payload(RFC7520.rs256, keys) == RFC7520.payload)
    let pair = try SigningKey(json: secret(RFC7520.key))
    let token = try pair.sign(bytes(RFC7520.payload), type: nil)
    #expect(text(token) == RFC7520.rs256)
  }

  @Test(
    "RFC 7520 4.2 (PS384), 4.3 (ES512) and 4.4 (HS256) are refused for their algorithms",
    arguments: [RFC7520.ps384, RFC7520.es512, RFC7520.hs256])
  func cookbookRefused(token: String) throws {
    let keys = JSONWebKeySet([try key(RFC7520.publicKey)])
    #expect(try refusal(token, keys)?.reason == .algorithm)
  }

  @Test("RFC 7520 3.1: a key on P-521 is left out of a set, and said so")
  func otherCurve() throws {
    let keys = try JSONWebKeySet(json: bytes(#"{"keys":[\#(RFC7520.ecPublicKey),\#(RFC7520.publicKey)]}"#))
    #expect(keys.keys.map(\.type) == [.rsa])
    #expect(keys.skipped.count == 1)
    #expect(keys.skipped.first?.contains("EC P-521") == true)
  }

  @Test("RFC 8037 A.1 to A.5: Ed25519 verifies and signs to the same token")
  func edwards() throws {
    let keys = JSONWebKeySet([try key(RFC8037.publicKey)])
    #expect(try payload(RFC8037.token, keys) == "Example of Ed25519 signing")
    let pair = try SigningKey(json: secret(RFC8037.key))
    #expect(pair.publicKey.thumbprint == RFC8037.thumbprint)
    let token = try forge(#"{"alg":"EdDSA"}"#, "Example of Ed25519 signing", by: pair)
    #expect(token == RFC8037.token)
  }
}
