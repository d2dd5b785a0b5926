import Basics
import Foundation
import JOSE
import TestSupport
import Testing

/// An independent implementation: joserfc, from Python.
@Suite("joserfc and this library agree")
struct JoserfcTests {
  private func peer(_ arguments: [String], input: String = "") throws -> [JSONValue] {
    let sandbox = try Sandbox()
    let script = try #require(Bundle.module.url(forResource: "Peer/peer", withExtension: "py")).path
    let result = try run(
      [try PythonEnvironment().interpreter, "-B", script] + arguments, in: sandbox, input: Data(input.utf8),
      seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    return try result.text.split(separator: "\n").map { try JSONReader.value(Array($0.utf8)) }
  }

  @Test("tokens and keys that joserfc made are verified and read here")
  func theirs() throws {
    let lines = try peer(["make", "8"])
    #expect(lines.count == 32)
    for line in lines {
      let key = try JSONWebKey(json: bytes(try #require(line["jwk"]).text))
      let token = try secret(try #require(line["token"]?.string))
      let verified = try JWSVerifier().verify(token, keys: JSONWebKeySet([key]))
      #expect(verified.header.algorithm.rawValue == line["alg"]?.string)
      #expect(Data(verified.payload).base64EncodedString() == line["payload"]?.string)
      #expect(key.thumbprint == line["thumbprint"]?.string)
      let algorithm = verified.header.algorithm
      let pair = try SigningKey(json: secret(try #require(line["private"]).text), algorithm: algorithm)
      #expect(pair.publicKey.thumbprint == key.thumbprint)
      let again = try pair.sign(verified.payload)
      #expect(try refusal(text(again), JSONWebKeySet([key])) == nil)
    }
  }

  @Test("tokens that were signed here are verified by joserfc")
  func ours() throws {
    var lines = "", payloads: [String] = [], keys: [SigningKey] = []
    for number in 0..<32 {
      let algorithm = JWSAlgorithm.allCases[number % 4]
      let shared = try #require(Keys.all.first { $0.algorithm == algorithm })
      let key = algorithm.keyType == .rsa ? shared : try SigningKey.generate(algorithm)
      let payload = bytes("{\"number\":\(number),\"text\":\"\(String(repeating: "é🔑", count: number))\"}")
      let line = JSONValue.object([
        .init("jwk", key.publicKey.json), .init("alg", .string(algorithm.rawValue)),
        .init("token", .string(text(try key.sign(payload)))),
      ])
      lines += line.text + "\n"
      payloads.append(Data(payload).base64EncodedString())
      keys.append(key)
    }
    let answers = try peer(["check"], input: lines)
    #expect(answers.map { $0["payload"]?.string } == payloads)
    #expect(answers.map { $0["kid"]?.string } == keys.map { $0.publicKey.id })
    #expect(answers.map { $0["thumbprint"]?.string } == keys.map { $0.publicKey.thumbprint })
  }
}
