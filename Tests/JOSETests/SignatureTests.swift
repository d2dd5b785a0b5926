import Basics
import Testing

@testable import JOSE

@Suite("Signatures")
struct SignatureTests {
  @Test("each algorithm verifies what it signs, with and without a key id", arguments: JWSAlgorithm.allCases)
  func roundTrip(algorithm: JWSAlgorithm) throws {
    let key = try #require(Keys.all.first { $0.algorithm == algorithm })
    let token = try key.sign(claims: ["sub": "alice"], type: "JWT", extra: [.init("x", 1)])
    let verified = try JWSVerifier().verify(token, keys: set(Keys.rs256, Keys.ps256, Keys.es256, Keys.edDSA))
    #expect(verified.payload == bytes(#"{"sub":"alice"}"#))
    #expect(verified.header.keyID == key.publicKey.thumbprint)
    #expect(verified.header.members["x"] == 1)
    #expect(verified.key.thumbprint == key.publicKey.thumbprint)
    let nameless = try key.sign(bytes("{}"), namesKey: false)
    #expect(try JWSVerifier().verify(nameless, keys: set(key)).header.keyID == nil)
    let unnamed = try forge(#"{"alg":"\#(algorithm.rawValue)"}"#, by: key)
    #expect(try refusal(unnamed, set(Keys.rs256, Keys.ps256, Keys.es256, Keys.edDSA)) == nil)
  }

  @Test("a token carries no algorithm that is not on the list", arguments: JWSAlgorithm.allCases)
  func allowList(algorithm: JWSAlgorithm) throws {
    let key = try #require(Keys.all.first { $0.algorithm == algorithm })
    let token = text(try key.sign(bytes("{}")))
    let others = Set(JWSAlgorithm.allCases).subtracting([algorithm])
    #expect(try refusal(token, set(key), algorithms: others)?.reason == .algorithm)
    #expect(try refusal(token, set(key), algorithms: [])?.reason == .algorithm)
    #expect(try refusal(token, set(key), algorithms: [algorithm]) == nil)
  }

  @Test(
    "headers that are refused, though the signature is right",
    arguments: [
      (#"{"alg":"none"}"#, TokenRefusal.Reason.algorithm), (#"{"alg":"None"}"#, .algorithm),
      (#"{"alg":"nOnE"}"#, .algorithm),
      (#"{"alg":"HS256"}"#, .algorithm), (#"{"alg":"HS384"}"#, .algorithm), (#"{"alg":"RS384"}"#, .algorithm),
      (#"{"alg":"es256"}"#, .algorithm), (#"{"alg":"ES256K"}"#, .algorithm), (#"{"alg":"ES256\u0000"}"#, .algorithm),
      (#"{"alg":""}"#, .algorithm), (#"{"alg":["ES256"]}"#, .header), (#"{"alg":null}"#, .header), ("{}", .header),
      ("[]", .header), (#""ES256""#, .header), ("", .header), ("{", .header), (#"{"alg":"ES256"} x"#, .header),
      ("\u{FEFF}{\"alg\":\"ES256\"}", .header), (#"{"alg":"ES256","kid":1}"#, .header),
      (#"{"alg":"ES256","typ":{}}"#, .header), (#"{"alg":"ES256","alg":"ES256"}"#, .duplicate),
      (#"{"alg":"none","alg":"ES256"}"#, .duplicate), (#"{"alg":"ES256","\u0061lg":"none"}"#, .duplicate),
      (#"{"alg":"ES256","x":{"a":1,"a":1}}"#, .duplicate), (#"{"alg":"ES256","crit":[]}"#, .critical),
      (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, .critical),
      (#"{"alg":"ES256","crit":["b64"],"b64":false}"#, .critical),
      (#"{"alg":"ES256","crit":null}"#, .critical), (#"{"alg":"ES256","b64":false}"#, .unencodedPayload),
      (#"{"alg":"ES256","b64":true}"#, .unencodedPayload), (#"{"alg":"ES256","kid":"other"}"#, .unknownKey),
      (#"{"alg":"RS256"}"#, .unsuitableKey), (#"{"alg":"EdDSA"}"#, .unsuitableKey),
      (#"{"alg":"ES256","x":"# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}", .header),
    ])
  func headers(header: String, reason: TokenRefusal.Reason) throws {
    #expect(try refusal(forge(header, by: Keys.es256), set(Keys.es256))?.reason == reason)
  }

  @Test("a key that a token brings along is never used", arguments: ["jwk", "jku", "x5u", "x5c"])
  func embedded(name: String) throws {
    let thief = try SigningKey.generate(.es256)
    let value = name == "jwk" ? thief.publicKey.json.text : name == "x5c" ? #"["AA"]"# : #""https://thief.example/""#
    let header = #"{"alg":"ES256","\#(name)":\#(value)}"#
    #expect(try refusal(forge(header, by: thief), set(Keys.es256))?.reason == .signature)
    // It does no harm beside a signature of the issuer's own.
    #expect(try refusal(forge(header, by: Keys.es256), set(Keys.es256)) == nil)
  }

  @Test("forms that are no compact JWS")
  func forms() throws {
    let token = text(try Keys.es256.sign(bytes("{}")))
    let parts = token.split(separator: ".").map(String.init)
    let cases: [(String, TokenRefusal.Reason)] = [
      ("", .form), (".", .form), ("..", .header), ("a.b", .form), ("...", .form), ("....", .encrypted),
      (parts.joined(separator: ".") + ".", .form), (token + "=", .form), (token + "\n", .form), (" " + token, .form),
      (parts[0] + "=." + parts[1] + "." + parts[2], .form), (parts[0] + "..", .signature),
      (parts[0] + "." + parts[1] + ".", .signature), (parts[0] + "." + parts[1] + ".!", .form),
      (parts[0] + "." + parts[1] + "\u{0}." + parts[2], .form), (#"{"payload":"","signatures":[]}"#, .form),
      (String(repeating: "a", count: JWSVerifier.maximumTokenSize + 1), .size),
      (String(repeating: ".", count: JWSVerifier.maximumTokenSize), .form),
      (String(repeating: "a", count: JWSVerifier.maximumTokenSize - 2) + "..", .form),
    ]
    for (text, reason) in cases {
      #expect(try refusal(text, set(Keys.es256))?.reason == reason, "\(text.prefix(40))")
    }
    let notUTF8 = Base64URL.encode([0x7B, 0x22, 0xFF, 0x22, 0x7D]) + "." + parts[1] + "." + parts[2]
    #expect(try refusal(notUTF8, set(Keys.es256))?.reason == .header)
  }

  @Test("a signature has its algorithm's length and form, no other")
  func lengths() throws {
    for key in Keys.all {
      let token = text(try key.sign(bytes("{}")))
      let dot = try #require(token.lastIndex(of: "."))
      let signed = String(token[...dot])
      let signature = try #require(Base64URL.decode(String(token[token.index(after: dot)...])))
      let others: [[UInt8]] = [
        [], [0], Array(signature.dropLast()), signature + [0], [0] + signature, signature + signature,
        [UInt8](repeating: 0, count: signature.count), [UInt8](repeating: 0xFF, count: signature.count),
      ]
      for other in others {
        #expect(try refusal(signed + Base64URL.encode(other), set(key))?.reason == .signature)
      }
      #expect(try refusal(signed + Base64URL.encode(signature), set(key)) == nil)
    }
  }

  @Test("ECDSA as DER, as other protocols have it, is not taken")
  func der() throws {
    let signed = Base64URL.encode(bytes(#"{"alg":"ES256"}"#)) + "." + Base64URL.encode(bytes("{}"))
    // A sequence of two integers, 1 and 1, padded to 64 bytes as a long form could be.
    let der: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
    for bytes in [der, der + [UInt8](repeating: 0, count: 56)] {
      #expect(try refusal(signed + "." + Base64URL.encode(bytes), set(Keys.es256))?.reason == .signature)
    }
  }

  @Test("RS256 and PS256 are not mixed up though they share a kind of key")
  func padding() throws {
    let plain = JSONWebKeySet([try #require(JSONWebKey(Keys.rs256.publicKey.material, id: nil))])
    let signed = try forge(#"{"alg":"PS256"}"#, by: Keys.rs256)
    #expect(try refusal(signed, plain)?.reason == .signature)
  }

  @Test("a key's own alg, use and key_ops are heeded")
  func restrictions() throws {
    let material = Keys.es256.publicKey.material
    func keys(_ use: String?, _ operations: [String]?, _ algorithm: String?) throws -> JSONWebKeySet {
      JSONWebKeySet([
        try #require(JSONWebKey(material, id: nil, use: use, operations: operations, algorithm: algorithm))
      ])
    }
    let token = try forge(#"{"alg":"ES256"}"#, by: Keys.es256)
    for (use, operations, algorithm) in [
      ("enc", nil, nil), (nil, ["sign"], nil), (nil, [], nil), (nil, nil, "ES384"), (nil, nil, "ECDH-ES"),
      ("sig", nil, "RS256"),
      ("SIG", nil, nil),
    ] as [(String?, [String]?, String?)] {
      #expect(try refusal(token, keys(use, operations, algorithm))?.reason == .unsuitableKey)
    }
    #expect(try refusal(token, keys("sig", ["sign", "verify"], "ES256")) == nil)
    #expect(try refusal(token, keys(nil, nil, nil)) == nil)
  }

  @Test("a token without a key id is tried with the keys that fit, up to eight")
  func tries() throws {
    let others = try (0..<8).map { _ in try SigningKey.generate(.edDSA).publicKey }
    let token = try forge(#"{"alg":"EdDSA"}"#, by: Keys.edDSA)
    #expect(try refusal(token, JSONWebKeySet(others.dropLast() + [Keys.edDSA.publicKey, Keys.rs256.publicKey])) == nil)
    #expect(try refusal(token, JSONWebKeySet(others + [Keys.edDSA.publicKey]))?.reason == .ambiguousKey)
    #expect(try refusal(token, JSONWebKeySet(others))?.reason == .signature)
    #expect(try refusal(token, JSONWebKeySet([]))?.reason == .unknownKey)
  }

  @Test("two keys of one id are both tried")
  func sameID() throws {
    let one = try SigningKey.generate(.edDSA, id: "k"), two = try SigningKey.generate(.edDSA, id: "k")
    let token = text(try two.sign(bytes("{}")))
    #expect(try refusal(token, set(one, two)) == nil)
    #expect(try refusal(token, set(one))?.reason == .signature)
  }

  @Test("no message holds the token or its parts")
  func silent() throws {
    let token = text(try Keys.es256.sign(claims: ["sub": "canary-of-the-payload"]))
    let parts = token.split(separator: ".").map(String.init)
    for altered in [token + "A", parts[0] + "." + parts[1] + "." + parts[0], parts[0] + "." + parts[1]] {
      let said = try #require(try refusal(altered, set(Keys.es256))).description
      for part in parts { #expect(!said.contains(part)) }
      #expect(!said.contains("canary"))
    }
    let steering = try #require(
      try refusal(forge(#"{"alg":"\u001b[31m\n::error::"}"#, by: Keys.es256), set(Keys.es256)))
    #expect(!steering.description.contains("\u{1B}") && !steering.description.contains("\n"))
  }

  @Test("what would make a header of two minds is not signed")
  func signing() throws {
    for name in ["alg", "kid", "typ", "crit", "b64"] {
      #expect(throws: Failure(.bug, "")) { _ = try Keys.edDSA.sign(bytes("{}"), extra: [.init(name, 1)]) }
    }
    let long = [UInt8](repeating: 0x20, count: JWSVerifier.maximumTokenSize)
    #expect(throws: Failure(.bug, "")) { _ = try Keys.edDSA.sign(long) }
  }

  @Test("the names of the refusals are distinct")
  func names() {
    #expect(Set(TokenRefusal.Reason.all.map(\.name)).count == TokenRefusal.Reason.all.count)
    #expect(TokenRefusal(.keysUnavailable, "").failure.code == .network)
    #expect(TokenRefusal(.signature, "m", hint: "h").failure.code == .serverRefused)
  }
}
