import BackendKeys
import Basics
import Foundation
import JOSE
import TestSupport
import Testing

/// An independent implementation: joserfc, from Python.
@Suite("joserfc takes what the server issues")
struct JoserfcTests {
  private func answers(_ lines: [JSONValue]) throws -> [JSONValue] {
    let sandbox = try Sandbox()
    let script = try #require(Bundle.module.url(forResource: "Peer/peer", withExtension: "py")).path
    let input = lines.map { $0.text + "\n" }.joined()
    let result = try run(
      [try PythonEnvironment().interpreter, "-B", script], in: sandbox, input: Data(input.utf8), seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    return try result.text.split(separator: "\n").map { try JSONReader.value(Array($0.utf8)) }
  }

  @Test(
    "JT-02 JK-01 access tokens, ID tokens and sets of keys, before and after a rotation",
    arguments: [
      JWSAlgorithm.edDSA, .rs256,
    ])
  func all(_ algorithm: JWSAlgorithm) throws {
    let server = try Server(algorithm)
    var lines: [JSONValue] = [], expected: [(text: String, access: String?)] = []
    for number in 0..<12 {
      if number == 4 { _ = try server.ring.rotateNow() }
      if number == 8 { server.clock.pass(3_900) }
      let subject = "user \(String(repeating: "é🔑\"\\\n", count: number))"
      let jwks = try server.ring.jwks(now: server.now).json
      let access = try server.accessToken { $0.subject = subject }
      let id = try server.idToken {
        ($0.subject, $0.accessToken, $0.claims) = (subject, access.text, ["name": .string(subject), "updated_at": 7])
      }
      for (token, other) in [(access.text, nil), (id.text, access.text)] as [(String, String?)] {
        var members: [JSONValue.Member] = [
          .init("jwks", .string(jwks)), .init("token", .string(token)), .init("now", .integer(server.now.seconds)),
        ]
        if let other { members.append(.init("access_token", .string(other))) }
        lines.append(.object(members))
        expected.append((token, other))
      }
    }
    let answers = try answers(lines)
    #expect(answers.count == 24)
    for (answer, expected) in zip(answers, expected) {
      #expect(try answer["claims"]?.text == part(expected.text, 1).text)
      #expect(try answer["header"]?.text == part(expected.text, 0).text)
      #expect(answer["claims"]?["at_hash"]?.string == answer["at_hash"]?.string)
      #expect((answer["at_hash"]?.string == nil) == (expected.access == nil))
      let keys = try #require(answer["keys"]?.items)
      #expect(!keys.isEmpty)
      for key in keys {
        #expect(key["kid"]?.string == key["thumbprint"]?.string)
        #expect(key["private"] == .bool(false))
        #expect(key["use"]?.string == "sig")
        #expect(key["alg"]?.string == algorithm.rawValue)
      }
    }
    let ids = Set(answers.compactMap { $0["header"]?["kid"]?.string })
    #expect(ids.count == 2)
    #expect(
      answers.map { $0["keys"]?.items?.count ?? 0 } == [Int](repeating: 1, count: 8) + [Int](repeating: 2, count: 16))
  }
}
