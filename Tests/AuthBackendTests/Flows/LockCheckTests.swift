@testable import AuthBackend
import BackendStore
import Basics
import HTTPTestSupport
import Testing

/// Every way to tokens asks whether the account is shut (keycloak#52783: one of them did not).
@Suite("lock check") struct LockCheckTests {
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  /// Everything that a client needs to get alice's tokens by a grant, gathered while her account is open.
  private func credential(_ grant: Grant) throws -> @Sendable () throws -> RawResponse {
    let fixture = fixture
    switch grant {
    case .authorizationCode:
      let code = try fixture.code()
      return { try fixture.redeem(code) }
    case .refreshToken:
      let token = try #require(try fixture.redeem(fixture.code())["refresh_token"]?.string)
      return { try fixture.refresh(token) }
    case .deviceCode:
      let asked = try fixture.post("/oauth/device_authorization", [("client_id", "app")])
      let browser = FlowBrowser(fixture), code = try #require(asked["device_code"]?.string)
      let shown = try browser.press(
        "continue", on: browser.open("/device"), [("user_code", asked["user_code"]?.string ?? "")])
      _ = try browser.press("allow", on: shown)
      return { try fixture.token(Flow.deviceGrant, [("device_code", code)]) }
    case .tokenExchange:
      let token = try fixture.provider.token(["email": "alice@example.com", "email_verified": true])
      return {
        try fixture.token(
          Flow.exchangeGrant,
          [("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1")])
      }
    }
  }

  @Test("RL-03 every grant asks", arguments: Grant.allCases) func aShutAccountGetsNothing(grant: Grant) throws {
    // The same request is right while the account is open.
    let open = try credential(grant)()
    #expect(open.status == 200, "\(open.text)")
    #expect(try flowClaims(open["access_token"]?.string)["sub"]?.string == "user_alice")
    try fixture.advance(by: 1)
    let request = try credential(grant)
    try fixture.disable("user_alice")
    let answer = try request()
    #expect(answer.status == 400 && answer.fault == "invalid_grant", "\(answer.status) \(answer.text)")
    #expect(answer["access_token"] == nil && answer["refresh_token"] == nil)
  }

  @Test("a shut account is refused in the words that any other ID token is that is not good") func nativeWords() throws
  {
    let request = try credential(.tokenExchange)
    try fixture.disable("user_alice")
    let shut = try request()
    let wrong = try fixture.token(
      Flow.exchangeGrant,
      [("subject_token", "a.b.c"), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1")])
    #expect(shut.status == wrong.status && shut.body == wrong.body, "\(shut.text)")
    #expect(fixture.last("native.refused", "reason") == "form")
  }

  /// The store's step asks as well; this is the server's own check when the account is shut between that step and the answer.
  @Test("RL-03 the one check") func theCheckRefuses() throws {
    _ = try fixture.token("refresh_token", [])
    let call = BackendCall(backend: fixture.backend, request: try #require(fixture.lastRequest))
    #expect(try call.openAccount("user_alice").user.id == "user_alice")
    try fixture.disable("user_alice")
    for id in ["user_alice", "user_nobody"] {
      let error = #expect(throws: (any Error).self) { _ = try call.openAccount(id) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("invalid_grant"))
    }
    #expect(fixture.events("account.refused").count == 2)
  }

  @Test("RL-03 wrong passwords of a stranger lock nobody out") func delaysHoldUpPasswordsAlone() throws {
    let requests = try Grant.allCases.map { try credential($0) }
    let stranger = FlowBrowser(fixture)
    for _ in 0..<12 { _ = try stranger.signIn(stranger.get("/devices"), password: "wrong") }
    #expect(try stranger.signIn(stranger.get("/devices")).status == 429)
    for request in requests { #expect(try request().status == 200) }
  }
}
