import Basics
import Foundation
import GatewayLab
import HTTPTestSupport
import TestSupport
import Testing
import YAML

@Suite("Scenarios and the control port") struct ControlTests {
  private func scenario(_ text: String) throws -> Scenario {
    try Scenario(try YAMLDocument.parse(Array(text.utf8), file: "lab.yaml"))
  }

  @Test func everyFieldIsRead() throws {
    let scenario = try scenario(
      """
      version: 1
      oidc: {enabled: false, register: true, username-claim: email, user-prefix: lab, unreachable: true,
        include-access: true, callback-state: false, session: false, provider: corporate,
        callback-url: "http://127.0.0.1:8491/cb"}
      idp:
        client-id: other
        redirects: ["https://a.example/cb"]
        post-logout-redirects: ["https://a.example/bye"]
        algorithm: EdDSA
        pkce: false
        issuer-parameter: false
        azp: true
        employee-ids: {alice: E-17, bob: 0815}
        refresh: {issue: offline-access, rotate: false, id-token: false, empty-rejection: true}
        absent: [revoke, device-authorization]
        ttl: {id-token: 1, access-token: 2, refresh-token: 3, code: 4, login: 5, device-code: 6}
        device-interval: 7
        faults:
          - {fault: unavailable, on: [token, end-session], after: 1, times: 2, retry-after: 9}
          - {fault: slow, delay-ms: 10}
          - {fault: huge-body, size: 5}
          - {fault: wrong-issuer, location: "https://b.example"}
      """)
    var openID = OpenIDOptions()
    (openID.isOn, openID.register, openID.usernameClaim, openID.userPrefix) = (false, true, "email", "lab")
    (openID.isUnreachable, openID.includesAccessToken) = (true, true)
    (openID.hasCallbackState, openID.makesSession) = (false, false)
    (openID.providerName, openID.callbackURL) = ("corporate", "http://127.0.0.1:8491/cb")
    #expect(scenario.options.openID == openID)
    var options = ProviderOptions()
    options.clientID = "other"
    options.redirects = ["https://a.example/cb"]
    options.postLogoutRedirects = ["https://a.example/bye"]
    (options.algorithm, options.requiresPKCE, options.namesIssuer) = (.edDSA, false, false)
    options.namesAuthorizedParty = true
    options.employeeIDs = ["alice": "E-17", "bob": "0815"]
    (options.refreshTokens, options.rotatesRefreshTokens) = (.offlineAccess, false)
    (options.refreshBringsIDToken, options.rejectsRefreshWithoutBody) = (false, true)
    options.absent = [.revoke, .deviceAuthorization]
    (options.idTokenLifetime, options.accessTokenLifetime, options.refreshTokenLifetime) = (1, 2, 3)
    (options.codeLifetime, options.loginLifetime, options.deviceCodeLifetime) = (4, 5, 6)
    options.deviceInterval = 7
    #expect(scenario.provider.options == options)
    var unavailable = ProviderFault(.unavailable), slow = ProviderFault(.slow), huge = ProviderFault(.hugeBody)
    (unavailable.endpoints, unavailable.after, unavailable.times) = ([.token, .endSession], 1, 2)
    unavailable.retryAfter = 9
    slow.delayMilliseconds = 10
    huge.size = 5
    var issuer = ProviderFault(.wrongIssuer)
    issuer.location = "https://b.example"
    #expect(scenario.provider.faults == [unavailable, slow, huge, issuer])
    #expect(try self.scenario("version: 1\noidc: {username-claim: \"\"}").options.openID.usernameClaim == nil)
  }

  @Test func theDocumentedDefaultsAreTheDefaults() throws {
    let page = try String(contentsOfFile: "\(Programs.checkout)/docs/LAB.md", encoding: .utf8)
    let block = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
    let text = try #require(block.components(separatedBy: "```").first)
    #expect(text.contains("idp:") && text.contains("oidc:"))
    #expect(try scenario(text) == Scenario())
  }

  @Test(arguments: [
    ("oidc: {enable: true}", "enable"), ("idp: {client: x}", "client"), ("idp: {algorithm: HS256}", "HS256"),
    ("idp: {algorithm: none}", "none"), ("idp: {ttl: {code: 0}}", "out of range"),
    ("idp: {absent: [tokens]}", "tokens"), ("idp: {faults: [{fault: alg-non}]}", "alg-none"),
    ("idp: {faults: [{fault: slow, on: [session-create]}]}", "session-create"), ("idp: []", "mapping"),
  ])
  func mistakesAreExplained(text: String, word: String) throws {
    do {
      _ = try scenario("version: 1\n" + text)
      Issue.record("accepted: \(text)")
    } catch let failure as Failure {
      #expect(failure.code == .configuration && failure.description.contains(word), "\(failure)")
    }
  }

  @Test func theControlPortChangesTheProvider() throws {
    let lab = try ProviderFixture()
    let port = try #require(lab.lab.controlOrigin.split(separator: ":").last.flatMap { UInt16($0) })
    func control(_ method: String, _ path: String, body: String? = nil) throws -> RawResponse {
      try #require(try exchange(port, method, path, body: body))
    }
    let tokens = try lab.tokens(), before = try lab.keys().keys.map(\.id)
    #expect(try control("POST", "/idp/keys/rotate").status == 204)
    #expect(try lab.keys().keys.map(\.id).last == before[0] && lab.keys().keys.count == 2)
    #expect(try control("POST", "/idp/sign-ins/end").status == 204)
    #expect(try lab.refresh(tokens.text("refresh_token")).error == "invalid_grant")
    let scenario = "version: 1\nidp: {algorithm: ES256, faults: [{fault: internal-error, on: [jwks]}]}"
    #expect(try control("PUT", "/scenario", body: scenario).status == 204)
    #expect(try lab.get("/jwks").status == 500)
    #expect(try control("DELETE", "/scenario").status == 204)
    #expect(try lab.get("/jwks").status == 200)
    let calls = try control("GET", "/idp/calls").json().items ?? []
    #expect(calls.first == ["method": "POST", "path": "/authorize", "status": 303, "outcome": "code"])
    #expect(calls.count == lab.provider.calls.count)
  }

  @Test func withoutAProviderThereIsNothingToControl() throws {
    let lab = try Lab()
    #expect(lab.provider == nil)
    let port = try #require(lab.controlOrigin.split(separator: ":").last.flatMap { UInt16($0) })
    let answer = try #require(try exchange(port, "POST", "/idp/keys/rotate"))
    #expect(answer.status == 404 && answer.text.contains("--idp lab"))
    let gateway = try #require(lab.origin.split(separator: ":").last.flatMap { UInt16($0) })
    let bearer = try exchange(gateway, "POST", "/mfs/_session", headers: ["Authorization: Bearer x"])
    #expect(bearer?.text == #"{"error":"Bad Request","reason":"Bad JSON: EOF"}"#)
  }

  @Test func aPortThatIsTakenIsToldSo() throws {
    let lab = try ProviderFixture()
    let failure = #expect(throws: Failure.self) { _ = try Lab(providerPort: lab.port) }
    #expect(failure?.code == .exists)
  }

  @Test func nothingIsLeftWhenTheLabEnds() throws {
    weak var gateway: Gateway?
    weak var provider: IdentityProvider?
    do {
      let lab = try Lab(providerPort: 0)
      (gateway, provider) = (lab.gateway, lab.provider)
      lab.stop()
    }
    #expect(gateway == nil && provider == nil)
  }
}
