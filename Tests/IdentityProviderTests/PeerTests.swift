import Basics
import Foundation
import GatewayLab
import JOSE
import TestSupport
import Testing

/// An independent client: joserfc and Authlib, from Python.
@Suite("Authlib and joserfc sign in at the provider") struct PeerTests {
  @Test(arguments: JWSAlgorithm.allCases)
  func theWholeWay(algorithm: JWSAlgorithm) throws {
    // The real clock: the other side has no other.
    var scenario = Scenario()
    scenario.provider.options.algorithm = algorithm
    let lab = try Lab(scenario: scenario, providerPort: 0)
    let provider = try #require(lab.provider)
    try lab.gateway.addUser("alice", password: .init(publicText: ProviderFixture.password))
    let sandbox = try Sandbox()
    let script = try #require(Bundle.module.url(forResource: "Peer/client", withExtension: "py")).path
    let result = try run(
      [try PythonEnvironment().interpreter, "-B", script, provider.issuer, "mfs", "alice", algorithm.rawValue],
      in: sandbox, environment: ["AUTHLIB_INSECURE_TRANSPORT": "1"],
      input: Data((ProviderFixture.password + "\n").utf8), seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    let lines = try result.text.split(separator: "\n").map { try JSONReader.value(Array($0.utf8)) }
    let issuer = JSONValue.string(provider.issuer)
    #expect(
      lines == [
        ["step": "metadata", "issuer": issuer], ["step": "authorized", "state": true, "iss": issuer],
        ["step": "tokens", "alg": .string(algorithm.rawValue), "kid": true, "user": "alice"],
        ["step": "userinfo", "sub": "alice", "email": "alice@example.com"], ["step": "refreshed", "rotated": true],
        ["step": "revoked", "status": 200, "after": "invalid_grant"], ["step": "silent", "code": true],
        ["step": "ended", "location": "http://127.0.0.1:54321/callback?state=bye"],
      ])
    #expect(
      provider.calls.map(\.outcome).filter { !$0.isEmpty } == [
        "form", "code", "authorization_code", "refresh_token", "refresh_token", "invalid_grant", "code", "signed_out",
      ])
  }
}
