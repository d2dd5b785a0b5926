import Basics
import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Keys")
struct KeyTests {
  private func fault(_ json: String) -> String? {
    do throws(Failure) {
      _ = try JSONWebKey(json: bytes(json))
      return nil
    } catch { return error.code == .configuration ? error.message : "another code: \(error.code.name)" }
  }

  private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
  private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
  // 2047 bits, and 2048 with another exponent.
  private static let small = Base64URL.encode([0x7F] + [UInt8](repeating: 0xFF, count: 255))
  private static let good = Base64URL.encode([0xC0] + [UInt8](repeating: 0xFF, count: 255))

  @Test(
    "what is no usable public key is refused with the reason",
    arguments: [
      ("[]", "not a JSON object"), ("{", "not JSON"), (#"{"x":1,"x":2}"#, "two members"), ("{}", "no 'kty'"),
      (#"{"kty":1}"#, "'kty' is not a string"), (#"{"kty":"oct","k":"AA"}"#, "private or symmetric"),
      (#"{"kty":"DSA"}"#, "not used here"), (#"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#, "not used here"),
      (#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, "not used here"),
      (#"{"kty":"O\u212aP","crv":"Ed25519"}"#, "not used"),
      (#"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#, "none of such a key"),
      (#"{"kty":"OKP","crv":"Ed25519"}"#, "'x' is missing"),
      (#"{"kty":"EC","crv":"P-256","x":"\#(x)"}"#, "'y' is missing"),
      (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#, "none of such a key"),
      (#"{"kty":"EC","crv":"P-256","x":"AA","y":"\#(y)"}"#, "none of such a key"),
      (#"{"kty":"EC","crv":"P-256","x":"\#(x)=","y":"\#(y)"}"#, "not base64url"),
      (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","kid":7}"#, "'kid' is not a string"),
      (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","key_ops":"verify"}"#, "'key_ops' is not an array"),
      (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","d":"AA"}"#, "private"),
      (#"{"kty":"RSA","e":"AQAB","n":"\#(small)"}"#, "2047 bits"),
      (#"{"kty":"RSA","e":"AQ","n":"\#(good)"}"#, "exponent"),
      (#"{"kty":"RSA","e":"AAAC","n":"\#(good)"}"#, "exponent"),
      (#"{"kty":"RSA","e":"AQAAAAE","n":"\#(good)"}"#, "exponent"),
      (#"{"kty":"RSA","e":"AAAA","n":"\#(good)"}"#, "exponent"),
      (#"{"kty":"RSA","e":"AQAB","n":""}"#, "'n' is missing"),
    ])
  func refused(json: String, reason: String) {
    let message = fault(json) ?? "it was taken"
    #expect(message.contains(reason))
  }

  @Test("RSA of more than 8192 bits is refused, as is a modulus that is longer still")
  func large() {
    let more = Base64URL.encode([0x01] + [UInt8](repeating: 0xFF, count: 1_024))
    #expect(fault(#"{"kty":"RSA","e":"AQAB","n":"\#(more)"}"#)?.contains("8193 bits") == true)
    let huge = Base64URL.encode([UInt8](repeating: 0xFF, count: 4_000))
    #expect(fault(#"{"kty":"RSA","e":"AQAB","n":"\#(huge)"}"#)?.contains("too long") == true)
  }

  @Test("a key in a set that cannot be used is left out; a broken set is refused")
  func sets() throws {
    let usable = Keys.edDSA.publicKey.json.text
    let keys = try JSONWebKeySet(json: bytes(#"{"keys":[{"kty":"oct","k":"AA"},7,\#(usable),{"kty":"PQ"}],"other":1}"#))
    #expect(keys.keys.count == 1)
    #expect(keys.skipped.count == 3)
    for broken in [
      "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[{"a":1,"a":2}]}"#, "\u{FEFF}{}",
    ] {
      #expect(throws: Failure(.configuration, "")) { try JSONWebKeySet(json: bytes(broken)) }
    }
    let many = #"{"keys":["# + (0...256).map { _ in "{}" }.joined(separator: ",") + "]}"
    #expect(throws: Failure(.configuration, "")) { try JSONWebKeySet(json: bytes(many)) }
    #expect(try JSONWebKeySet(json: bytes(keys.json.text)).keys.map(\.thumbprint) == keys.keys.map(\.thumbprint))
  }

  @Test("a key pair goes out and comes back, as JSON and as PEM", arguments: JWSAlgorithm.allCases)
  func roundTrip(algorithm: JWSAlgorithm) throws {
    let key = try SigningKey.generate(algorithm, id: "the \"key\"")
    let again = try SigningKey(json: try key.json())
    #expect(again.publicKey.json == key.publicKey.json)
    let token = try again.sign(bytes("{}"))
    #expect(try refusal(text(token), set(key)) == nil)
    let pem = try SigningKey(pem: try key.pem(), algorithm: algorithm)
    #expect(pem.publicKey.thumbprint == key.publicKey.thumbprint)
    #expect(pem.publicKey.id == key.publicKey.thumbprint)
    let publicPEM = try #require(key.publicKey.pem)
    #expect(try JSONWebKey(pem: bytes(publicPEM)).thumbprint == key.publicKey.thumbprint)
    // The public half holds nothing private: libcrypto has none to give.
    #expect(!key.publicKey.json.text.contains("\"d\""))
    #expect("\(key)".contains(algorithm.rawValue))
  }

  @Test("halves that do not belong together are refused")
  func mismatched() throws {
    for algorithm in JWSAlgorithm.allCases {
      let one = try SigningKey.generate(algorithm), two = try SigningKey.generate(algorithm)
      let names: Set<String> = algorithm.keyType == .rsa ? ["n"] : ["x", "y"]
      let other = two.publicKey.json.members ?? []
      var members = try JSONReader.value(bytes(text(try one.json()))).members ?? []
      members = members.map { member in
        names.contains(member.name) ? other.first { $0.name == member.name } ?? member : member
      }
      let mixed = JSONValue.object(members).text
      #expect(throws: Failure(.configuration, "")) { try SigningKey(json: secret(mixed)) }
    }
  }

  @Test("a private key must be whole, and for the algorithm that is asked for")
  func incomplete() throws {
    #expect(throws: Failure(.configuration, "")) { try SigningKey(json: secret(RFC7515.a2Key), algorithm: .es256) }
    #expect(throws: Failure(.configuration, "")) { try SigningKey(json: secret(RFC7515.a2Public)) }
    #expect(throws: Failure(.configuration, "")) { try SigningKey(json: secret(RFC7515.a3Public)) }
    let members = try JSONReader.value(bytes(RFC7515.a2Key)).members ?? []
    for name in members.map(\.name) {
      let rest = JSONValue.object(members.filter { $0.name != name }).text
      #expect(throws: Failure(.configuration, "")) { try SigningKey(json: secret(rest)) }
    }
    for text in ["", "{", "[]", #"{"kty":"RSA","oth":[]}"#, #"{"kty":"EC","crv":"P-256","d":7}"#] {
      #expect(throws: Failure(.configuration, "")) { try SigningKey(json: secret(text)) }
    }
  }

  @Test("keys and certificates that openssl makes are read; an encrypted key asks nobody")
  func files() throws {
    let sandbox = try Sandbox()
    func openssl(_ command: String) throws {
      let result = try run(["sh", "-euc", command], in: sandbox)
      #expect(result.status == 0, "\(result.errorText)")
    }
    try openssl(
      """
      openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=test -days 1 2>/dev/null
      openssl pkey -in key.pem -pubout -out pub.pem
      openssl pkey -in key.pem -aes256 -passout pass:x -out locked.pem
      openssl ecparam -name secp384r1 -genkey -noout -out other.pem
      openssl genrsa -out small.pem 1024 2>/dev/null
      """)
    func file(_ name: String) throws -> String { try String(contentsOfFile: sandbox(name), encoding: .utf8) }
    let pair = try SigningKey(pem: secret(try file("key.pem")), algorithm: .ps256)
    for name in ["cert.pem", "pub.pem"] {
      let key = try JSONWebKey(pem: bytes(try file(name)), id: "k", algorithm: .ps256)
      #expect(key.thumbprint == pair.publicKey.thumbprint)
      #expect(key.algorithm == "PS256")
      #expect(key.id == "k")
    }
    for name in ["locked.pem", "other.pem", "small.pem", "cert.pem"] {
      #expect(throws: Failure(.configuration, "")) { try SigningKey(pem: secret(try file(name)), algorithm: .rs256) }
    }
    for text in ["", "-----BEGIN PUBLIC KEY-----\n", try file("key.pem"), try file("locked.pem")] {
      #expect(throws: Failure(.configuration, "")) { try JSONWebKey(pem: bytes(text)) }
    }
  }
}
