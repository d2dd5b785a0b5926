import BackendKeys
import Basics
import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Clients that others wrote")
struct PeerTests {
  @Test(
    "Authlib and oauthlib sign in, refresh and revoke, and joserfc reads each token",
    arguments: [
      JWSAlgorithm.edDSA, .rs256,
    ])
  func python(_ algorithm: JWSAlgorithm) throws {
    var keys = KeyRingSettings()
    keys.algorithm = algorithm
    let fixture = try BackendFixture(issuer: nil, at: .now(), keys: keys)
    let script = try #require(Bundle.module.url(forResource: "Resources/peer", withExtension: "py")).path
    let result = try run(
      [
        try PythonEnvironment().interpreter, "-B", script, fixture.issuer, "loopback", "http://127.0.0.1:54321/cb",
        "alice",
      ], in: fixture.folder, input: Data((Registry.password + "\n").utf8), seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    let steps = try result.text.split(separator: "\n").map { try JSONReader.value(Array($0.utf8)) }
    #expect(
      steps.compactMap { $0["step"]?.string } == [
        "discovery", "discovery", "authlib code", "authlib refresh", "authlib revoke", "oauthlib code",
        "oauthlib refresh",
        "oauthlib revoke",
      ])
    func step(_ name: String) -> JSONValue? { steps.first { $0["step"]?.string == name } }
    #expect(step("authlib code")?["alg"]?.string == algorithm.rawValue)
    #expect(step("authlib code")?["name"]?.string == "ALICE")
    #expect(step("authlib revoke")?["userinfo"]?.number == 401)
    #expect(step("oauthlib refresh")?["rotated"]?.isTrue == true)
    #expect(step("oauthlib revoke")?["error"]?.string == "invalid_grant")
    #expect(fixture.events.alerts.isEmpty)
  }
}
