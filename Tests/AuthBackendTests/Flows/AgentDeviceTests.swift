import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import HTTPTestSupport
import TestSupport
import Testing

/// oidc-agent, a client that nobody here wrote, lets itself in by the device flow, and refreshes.
@Suite("oidc-agent's device flow") struct AgentDeviceTests {
  private static let script = """
    # Its notices of a desktop are not for a test.
    eval "$(oidc-agent --no-autoload --quiet --socket-path="$PWD/agent.sock" 2> agent.err)" > /dev/null
    trap 'kill "$OIDCD_PID"' EXIT
    oidc-gen tv --flow=device --manual --iss="$ISSUER" --client-id=tv --client-secret= \\
      --scope="openid profile offline_access" --redirect-uri=http://localhost:4711 --confirm-default --no-url-call \\
      --pw-cmd='echo a password for its own file' --prompt=none 2>&1 || exit 1
    oidc-token tv --force-new
    """

  @Test func itIsLetIn() throws {
    try #require(
      FileManager.default.isExecutableFile(atPath: "/usr/bin/oidc-gen"), "oidc-agent-cli is needed: 'make deps-test'")
    let fixture = try FlowFixture { $0.devicePollSeconds = 1 }
    var client = Client(id: "tv", name: "The television", redirectURIs: ["http://localhost:4711"])
    client.grants = ["refresh_token", Flow.deviceGrant]
    try fixture.store.put(client)
    let sandbox = try Sandbox()
    let agent = try Background(
      ["sh", "-c", AgentDeviceTests.script], in: sandbox, environment: ["ISSUER": fixture.server.origin])
    let code = /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/
    let shown = agent.text { $0.firstMatch(of: code) != nil }
    let userCode = try #require(shown.firstMatch(of: code).map { String($0.0) }, "it shows no code: \(shown)")
    #expect(shown.contains(fixture.server.origin + "/device"))

    let browser = FlowBrowser(fixture)
    let asked = try browser.press("continue", on: browser.open("/device"), [("user_code", userCode)])
    #expect(asked.text.contains("The television"))
    _ = try browser.press("allow", on: asked)
    // Its polls take real seconds, which the clock here does not see; it may have asked once already.
    try fixture.advance(by: 60)
    let status = agent.wait()
    #expect(status == 0, "\(agent.text)\n\(agent.errorText)")
    let token = agent.text.split(separator: "\n").last.map(String.init)
    let claims = try flowClaims(token)
    #expect(claims["sub"]?.string == "user_alice" && claims["client_id"]?.string == "tv")
    #expect(try fixture.userInfo(token ?? "") == 200)
    #expect(fixture.last("sign-in.completed", "grant") == Flow.deviceGrant)
    // The token is one of a refresh: the family has been rotated.
    let family = try fixture.store.liveFamilies(user: "user_alice", device: nil, now: fixture.now, limit: 10)
    #expect(family.map(\.generation) == [1])
  }
}
