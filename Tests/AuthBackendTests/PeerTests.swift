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
      ], in: fixture.folder, input: Data("\(Registry.password)\norders\n\(fixture.addResource())\n".utf8), seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    let steps = try result.text.split(separator: "\n").map { try JSONReader.value(Array($0.utf8)) }
    #expect(
      steps.compactMap { $0["step"]?.string } == [
        "discovery", "discovery", "authlib code", "authlib refresh", "authlib revoke", "oauthlib code",
        "oauthlib refresh",
        "oauthlib revoke",
      ])
    func step(_ name: String) -> JSONValue? { steps.first { $0["step"]?.string == name } }
    let objections = steps.compactMap { $0["objection"]?.string }
    #expect(
      objections.count == (algorithm == .edDSA ? 1 : 0) && objections.allSatisfy { $0.contains("\"RS256\" MUST") })
    #expect(step("authlib code")?["alg"]?.string == algorithm.rawValue)
    #expect(step("authlib code")?["name"]?.string == "ALICE")
    #expect(step("authlib revoke")?["userinfo"]?.number == 401)
    #expect(step("oauthlib refresh")?["rotated"]?.isTrue == true)
    #expect(step("oauthlib revoke")?["error"]?.string == "invalid_grant")
    #expect(fixture.events.alerts.isEmpty)
  }

  @Test("oidc-agent signs in, is given new tokens, and revokes what it deletes")
  func oidcAgent() throws {
    for program in ["oidc-agent", "oidc-gen", "oidc-token"] {
      try #require(
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)"),
        "\(program) is not installed: run 'make deps-test' (oidc-agent-cli)")
    }
    let fixture = try BackendFixture(issuer: nil, at: .now())
    func file(_ name: String, _ kind: String) throws -> String {
      try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: kind)).path
    }
    let result = try run(
      [
        "bash", file("oidc-agent", "sh"), fixture.issuer, "agent", "http://localhost:8765", "alice",
        PythonEnvironment().interpreter, file("browse", "py"),
      ], in: fixture.folder, input: Data((Registry.password + "\n").utf8))
    #expect(result.status == 0, "\(result.text)\n\(result.errorText)")
    let tokens = result.text.split(separator: "\n").filter { $0.hasPrefix("token ") }.map { String($0.dropFirst(6)) }
    try #require(Set(tokens).count == 3)
    for token in tokens {
      #expect(try decoded(token).claims["client_id"]?.string == "agent")
      // The account was deleted at the end.
      #expect(try fixture.userInfo(token).status == 401)
    }
    let family = try #require(try fixture.store.family(id: decoded(tokens[0]).claims["sid"]?.string ?? ""))
    #expect(family.generation >= 2)
    #expect(family.end == .revoked)
    #expect(fixture.events.alerts.isEmpty)
  }
}
