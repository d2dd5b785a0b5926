import BackendStore
import Basics
import HTTPTestSupport
import Testing

/// The device flow (RFC 8628): the endpoint, the polls, and what the page decides.
@Suite("device flow") struct DeviceFlowTests {
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func ask(_ items: [(String, String)] = [], client: String = "app") throws -> RawResponse {
    try fixture.post("/oauth/device_authorization", [("client_id", client)] + items)
  }

  private func poll(_ code: String, _ items: [(String, String)] = [], client: String = "app") throws -> RawResponse {
    try fixture.token(Flow.deviceGrant, [("device_code", code)] + items, client: client)
  }

  /// Types a code on the page and presses a button of what follows.
  private func decide(_ code: String, _ action: String, in browser: FlowBrowser) throws -> RawResponse {
    let asked = try browser.press("continue", on: browser.open("/device"), [("user_code", code)])
    return try browser.press(action, on: asked)
  }

  @Test func aDeviceIsLetIn() throws {
    let asked = try ask([("scope", "openid offline_access feed"), ("device_id", "tv-1")])
    #expect(asked.status == 200)
    #expect(asked.text("Cache-Control") == "no-store")
    let code = try #require(asked["device_code"]?.string), userCode = try #require(asked["user_code"]?.string)
    #expect(userCode.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
    let page = fixture.server.origin + "/device"
    #expect(asked["verification_uri"]?.string == page)
    #expect(asked["verification_uri_complete"]?.string == page + "?user_code=" + userCode)
    #expect(asked["expires_in"] == 600 && asked["interval"] == 5)

    let device = ("device_id", "tv-1")
    #expect(try poll(code, [device]).fault == "authorization_pending")
    let browser = FlowBrowser(fixture)
    // The address that has the code types it, and does no more.
    let typed = try browser.open("/device?user_code=" + userCode)
    #expect(typed.text.contains("value=\"\(userCode)\""))
    #expect(!typed.text.contains("asks for"))
    let shown = try browser.press("continue", on: typed, [("user_code", userCode)])
    #expect(shown.text.contains("The &lt;app&gt; app"))
    #expect(shown.text.contains(userCode))
    for words in ["to know that it is you", "to stay signed in", "<li>feed</li>"] {
      #expect(shown.text.contains(words))
    }
    #expect(try browser.press("allow", on: shown).text.contains("Go back to your device"))

    try fixture.advance(by: 5)
    let tokens = try poll(code, [device])
    #expect(tokens.status == 200, "\(tokens.text)")
    #expect(tokens["scope"]?.string == "openid offline_access feed")
    #expect(tokens["refresh_token"]?.string?.hasPrefix("mfr_") == true)
    let claims = try flowClaims(tokens["access_token"]?.string)
    #expect(claims["sub"]?.string == "user_alice")
    #expect(claims["device_id"]?.string == "tv-1")
    #expect(claims["auth_time"] == .integer(FlowFixture.start.seconds))
    #expect(try flowClaims(tokens["id_token"]?.string)["aud"]?.string == "app")
    #expect(try fixture.store.device(user: "user_alice", id: "tv-1") != nil)
    #expect(fixture.events("device-code.approved").count == 1)
    #expect(fixture.last("sign-in.completed", "grant") == Flow.deviceGrant)
    // It is good once.
    try fixture.advance(by: 5)
    #expect(try poll(code, [device]).fault == "invalid_grant")
  }

  @Test func whoRefusesLetsNobodyIn() throws {
    let asked = try ask()
    let code = try #require(asked["device_code"]?.string), userCode = try #require(asked["user_code"]?.string)
    let browser = FlowBrowser(fixture)
    #expect(try decide(userCode, "refuse", in: browser).text.contains("The device gets nothing."))
    #expect(try poll(code).fault == "access_denied")
    // What was decided stays so.
    #expect(try browser.press("continue", on: browser.open("/device"), [("user_code", userCode)]).status == 404)
    try fixture.advance(by: 10)
    #expect(try poll(code).fault == "access_denied")
  }

  @Test func whoAsksTooOftenMustSlowDown() throws {
    let code = try #require(try ask()["device_code"]?.string)
    #expect(try poll(code).fault == "authorization_pending")
    try fixture.advance(by: 4)
    let tooSoon = try poll(code)
    #expect(tooSoon.status == 400 && tooSoon.fault == "slow_down")
    // Five seconds more from now on (3.5).
    try fixture.advance(by: 9)
    #expect(try poll(code).fault == "slow_down")
    try fixture.advance(by: 15)
    #expect(try poll(code).fault == "authorization_pending")
  }

  @Test func aCodeIsOverInTime() throws {
    let asked = try ask()
    let code = try #require(asked["device_code"]?.string), userCode = try #require(asked["user_code"]?.string)
    try fixture.advance(by: 599)
    #expect(try poll(code).fault == "authorization_pending")
    try fixture.advance(by: 1)
    #expect(try poll(code).fault == "expired_token")
    let browser = FlowBrowser(fixture)
    let answer = try browser.press("continue", on: browser.open("/device"), [("user_code", userCode)])
    #expect(answer.status == 404)
    #expect(answer.text.contains("There is no such code"))
  }

  @Test func anApprovalThatComesTooLateIsWorthNothing() throws {
    let asked = try ask()
    let code = try #require(asked["device_code"]?.string), userCode = try #require(asked["user_code"]?.string)
    let browser = FlowBrowser(fixture)
    let shown = try browser.press("continue", on: browser.open("/device"), [("user_code", userCode)])
    try fixture.advance(by: 600)
    #expect(try browser.press("allow", on: shown).status == 404)
    #expect(try poll(code).fault == "expired_token")
  }

  @Test func aDeviceCodeIsItsClientsAndItsDevices() throws {
    let asked = try ask([("device_id", "tv-1")])
    let code = try #require(asked["device_code"]?.string), userCode = try #require(asked["user_code"]?.string)
    _ = try decide(userCode, "allow", in: FlowBrowser(fixture))
    #expect(try poll(code, [("device_id", "tv-1")], client: "other").fault == "invalid_grant")
    #expect(fixture.last("device-code.refused", "reason") == "client")
    #expect(try poll(code, [("device_id", "tv-2")]).fault == "invalid_grant")
    #expect(fixture.last("device-code.refused", "reason") == "device")
    #expect(try poll(code).fault == "invalid_grant")
    #expect(try poll("mfd_" + String(repeating: "A", count: 43), [("device_id", "tv-1")]).fault == "invalid_grant")
    #expect(fixture.last("device-code.refused", "reason") == "unknown")
    #expect(try poll("nonsense", [("device_id", "tv-1")]).fault == "invalid_grant")
    #expect(try poll(code, [("device_id", "tv-1")]).status == 200)
  }

  @Test func whatCannotBeAskedForIsRefused() throws {
    #expect(try ask(client: "plain").fault == "unauthorized_client")
    #expect(try ask([("scope", "openid admin")]).fault == "invalid_scope")
    #expect(try ask(client: "bound").fault == "invalid_request")
    #expect(try ask([("device_id", "a b")]).fault == "invalid_request")
    #expect(try ask(client: "nobody").status == 401)
    #expect(try fixture.post("/oauth/device_authorization", []).fault == "invalid_request")
    #expect(try fixture.send("GET", "/oauth/device_authorization").status == 405)
    #expect(try fixture.token(Flow.deviceGrant, []).fault == "invalid_request")
    #expect(try fixture.token(Flow.deviceGrant, [("device_code", "x")], client: "plain").fault == "unauthorized_client")
  }

  @Test(
    arguments: [
      { (code: String) in code.lowercased() }, { $0.replacing("-", with: "") }, { $0.replacing("-", with: " ") },
      { "  " + $0.replacing("-", with: " - ") + " " },
    ] as [@Sendable (String) -> String]) func aCodeMayBeTypedInManyWays(_ typed: @Sendable (String) -> String) throws
  {
    let userCode = try #require(try ask()["user_code"]?.string)
    let answer = try decide(typed(userCode), "allow", in: FlowBrowser(fixture))
    #expect(answer.text.contains("Go back to your device"))
  }

  @Test func theMetadataTell() throws {
    let metadata = try fixture.send("GET", "/.well-known/oauth-authorization-server")
    let endpoint = fixture.server.origin + "/oauth/device_authorization"
    #expect(metadata["device_authorization_endpoint"]?.string == endpoint)
    let grants = try #require(metadata["grant_types_supported"]?.strings)
    #expect(grants == ["authorization_code", "refresh_token", Flow.deviceGrant, Flow.exchangeGrant])
    // Each that is listed is known, and no other.
    for grant in grants { #expect(try fixture.token(grant, []).fault != "unsupported_grant_type") }
    #expect(try fixture.token("device_code", []).fault == "unsupported_grant_type")
  }
}
