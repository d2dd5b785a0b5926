import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// What was granted and not redeemed yet is worth nothing after what ends sign-ins.
@Suite("granted and not redeemed") struct UnredeemedTests {
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  /// What ends alice's sign-ins.
  enum Ending: CaseIterable {
    case password, disabledAndEnabled, signedOutEverywhere, userRevoked, allRevoked, clientRevoked
    case deviceRemoved, deviceRemovedByHer
  }

  /// A code and a device code that were granted, for a device each.
  private struct Granted {
    let code: String
    let deviceCode: String
  }

  private func grant(to user: String = "alice@example.com", in browser: FlowBrowser? = nil) throws -> Granted {
    let browser = browser ?? FlowBrowser(fixture)
    let asked = try fixture.post("/oauth/device_authorization", [("client_id", "app"), ("device_id", "phone-1")])
    let shown = try browser.press(
      "continue", on: browser.open("/device", as: user), [("user_code", asked["user_code"]?.string ?? "")])
    #expect(try browser.press("allow", on: shown).status == 200)
    return Granted(
      code: try fixture.code(device: "phone-1", in: browser, user: user),
      deviceCode: try #require(asked["device_code"]?.string))
  }

  private func redeem(_ granted: Granted) throws -> [RawResponse] {
    [
      try fixture.redeem(granted.code, [("device_id", "phone-1")]),
      try fixture.token(Flow.deviceGrant, [("device_code", granted.deviceCode), ("device_id", "phone-1")]),
    ]
  }

  private func change(_ ending: Family.End?, _ body: (inout User) -> Void) throws {
    var alice = try #require(try fixture.store.user(id: "user_alice"))
    body(&alice)
    _ = try fixture.store.change(alice, ending: ending, now: fixture.now, denyUntil: nil)
  }

  private func end(_ ending: Ending, _ access: String) throws {
    let store = fixture.store, now = fixture.now
    switch ending {
    case .password: try change(.password) { $0.passwordHash = "$argon2id$another" }
    case .disabledAndEnabled:
      try change(.disabled) { $0.isDisabled = true }
      try change(nil) { $0.isDisabled = false }
    case .signedOutEverywhere:
      let answer = try fixture.send(
        "POST", "/oauth/logout",
        headers: ["Authorization: Bearer " + access, "Content-Type: application/x-www-form-urlencoded"],
        body: "all=true")
      #expect(answer.status == 204)
    case .userRevoked: _ = try store.end(.user("user_alice"), .administrator, now: now, denyUntil: nil)
    case .allRevoked: _ = try store.endAll(.all, .administrator, now: now, denyUntil: nil)
    case .clientRevoked: _ = try store.endAll(.client("app"), .administrator, now: now, denyUntil: nil)
    case .deviceRemoved: _ = try store.removeDevice(user: "user_alice", id: "phone-1", now: now, denyUntil: nil)
    case .deviceRemovedByHer:
      let browser = FlowBrowser(fixture)
      #expect(try browser.press("remove", on: browser.open("/devices")).status == 303)
    }
  }

  @Test("ends with the sign-ins", arguments: Ending.allCases) func itIsWorthNothing(ending: Ending) throws {
    // So that there is something to end.
    let begun = try redeem(grant()).map { try #require($0["access_token"]?.string) }
    try fixture.advance(by: 1)
    let granted = try grant(), bobs = try grant(to: "bob@example.com")
    try end(ending, begun[0])
    let answers = try redeem(granted)
    #expect(answers.map(\.status) == [400, 400])
    #expect(answers.map(\.fault) == ["invalid_grant", "access_denied"])
    let live = try fixture.store.liveFamilies(user: "user_alice", device: nil, now: fixture.now, limit: 10)
    #expect(live.isEmpty)
    if [.deviceRemoved, .deviceRemovedByHer].contains(ending) {
      #expect(try fixture.store.device(user: "user_alice", id: "phone-1") == nil, "it is not registered again")
    }
    let isForBobToo = [.allRevoked, .clientRevoked].contains(ending)
    #expect(try redeem(bobs).map(\.status) == (isForBobToo ? [400, 400] : [200, 200]))
    #expect(fixture.events("code.refused").allSatisfy { !$0.isAlert }, "nobody stole anything")
  }

  @Test("a sign-out in one browser does not sign out the device that was let in there")
  func aSignOutInOneBrowserIsNoMore() throws {
    let browser = FlowBrowser(fixture), granted = try grant(in: browser)
    try fixture.store.endBrowserSessions(id: nil, user: "user_alice")
    #expect(try redeem(granted).map(\.status) == [400, 200])
  }
}
