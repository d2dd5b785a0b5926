import Basics
import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing

private let invalidLogin = #"{"error":"Unauthorized","reason":"Invalid login"}"#

@Suite("Bearer tokens at the gateway") struct BearerTests {
  private func signIn(_ lab: ProviderFixture, _ token: String, body: String? = nil) throws -> RawResponse {
    try lab.gateway("POST", "/mfs/_session", ["Authorization: Bearer \(token)"], body: body)
  }

  @Test func anIDTokenOpensASession() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("id_token")
    let response = try signIn(lab, token)
    #expect(response.status == 200)
    #expect(
      response.text
        == #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":"alice"}}"#)
    // A day, however long the token lives.
    let cookie = try #require(response.first("Set-Cookie"))
    #expect(cookie.contains("; Path=/mfs; Expires=Sat, 05 Sep 2026 18:00:00 GMT"))
    #expect(try lab.gateway("GET", "/mfs/_session", response.cookies).text.contains("alice"))
    // Any other route takes it too, before every other credential.
    #expect(try lab.gateway("GET", "/mfs/", ["Authorization: Bearer \(token)"]).status == 200)
    let bad = ["Authorization: Bearer x"] + response.cookies
    let refused = try lab.gateway("GET", "/mfs/_session", bad)
    #expect(refused.status == 401 && refused.text == invalidLogin && refused.first("WWW-Authenticate") == nil)
  }

  @Test(arguments: FaultTests.tokens.indices)
  func whatIsNoTokenForItIsRefused(index: Int) throws {
    let kind = FaultTests.tokens[index].0
    let lab = try ProviderFixture { $0.provider.faults = [ProviderFault(kind)] }
    let response = try signIn(lab, try lab.tokens().text("id_token"))
    // A gateway looks at neither nonce, nor at_hash, nor iat.
    let passes = [.wrongNonce, .noNonce, .wrongAccessTokenHash, .issuedInFuture].contains(kind)
    #expect(response.status == (passes ? 200 : 401), "\(kind)")
    if !passes { #expect(response.text == invalidLogin && response.first("WWW-Authenticate") == nil) }
  }

  @Test func expiryHasNoLeeway() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("id_token")
    lab.lab.clock.advance(by: 3_599)
    let session = try signIn(lab, token)
    #expect(session.status == 200)
    lab.lab.clock.advance(by: 1)
    #expect(try signIn(lab, token).text == invalidLogin)
    // The session lives on all the same.
    #expect(try lab.gateway("GET", "/mfs/", session.cookies).status == 200)
  }

  @Test func withoutOpenIDItIsIgnored() throws {
    let lab = try ProviderFixture { $0.options.openID.isOn = false }
    let response = try signIn(lab, try lab.tokens().text("id_token"))
    #expect(response.status == 400 && response.text == #"{"error":"Bad Request","reason":"Bad JSON: EOF"}"#)
    let oidc = try lab.gateway("GET", "/mfs/_oidc")
    #expect(oidc.text == #"{"error":"Bad Request","reason":"OpenID Connect not configured for database mfs"}"#)
  }

  @Test func withoutPasswordsItIsTheWayIn() throws {
    let lab = try ProviderFixture { $0.options.passwordAuth = false }
    let token = try lab.tokens().text("id_token")
    #expect(try signIn(lab, token).status == 200)
    #expect(try lab.gateway("POST", "/mfs/_session", body: #"{"name":"alice","password":"x"}"#).status == 401)
  }

  @Test func aDisabledUserIsToldSo() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("id_token")
    lab.lab.gateway.setDisabled(true, user: "alice")
    let response = try signIn(lab, token)
    #expect(response.status == 400 && response.text == #"{"error":"Bad Request","reason":"User is disabled"}"#)
  }

  @Test func theBodyOfTheGuestWins() throws {
    let lab = try ProviderFixture { $0.options.guest = true }
    let response = try signIn(lab, try lab.tokens().text("id_token"), body: "{}")
    #expect(response.status == 200 && response.text.contains(#""name":null"#))
  }

  @Test func aProviderThatCannotBeReachedLooksLikeAWrongToken() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("id_token")
    lab.provider.faults = [ProviderFault(.internalError)]
    #expect(try signIn(lab, token).text == invalidLogin)
    lab.provider.faults = []
    #expect(try signIn(lab, token).status == 200)
    // With the keys at hand it need not ask again; unless it is cut off altogether.
    lab.provider.faults = [ProviderFault(.internalError)]
    #expect(try signIn(lab, token).status == 200)
    var scenario = lab.lab.gateway.scenario
    scenario.options.openID.isUnreachable = true
    lab.lab.gateway.scenario = scenario
    #expect(try signIn(lab, token).text == invalidLogin)
  }

  @Test func aNewKeyIsFetchedWhenItIsMet() throws {
    let lab = try ProviderFixture()
    #expect(try signIn(lab, try lab.tokens().text("id_token")).status == 200)
    try lab.provider.rotateKeys()
    #expect(try signIn(lab, try lab.tokens().text("id_token")).status == 200)
  }

  @Test func whoIsNotKnownIsMadeOnlyWhenAsked() throws {
    let lab = try ProviderFixture { $0.options.openID.usernameClaim = "email" }
    let token = try lab.tokens().text("id_token")
    #expect(try signIn(lab, token).text == invalidLogin)
    var scenario = lab.lab.gateway.scenario
    scenario.options.openID.register = true
    lab.lab.gateway.scenario = scenario
    let response = try signIn(lab, token)
    #expect(response.status == 200 && response.text.contains(#""name":"alice%40example.com""#))
    #expect(lab.lab.gateway.users == ["alice", "alice%40example.com", "bob"])
    #expect(try signIn(lab, token).status == 200)
  }

  @Test(
    arguments: [
      (nil, nil, "127.0.0.1%3APORT_alice"), (nil, "lab", "lab_alice"), ("email", "lab", "lab_alice%40example.com"),
      ("preferred_username", nil, "alice"), ("sub", nil, "alice"), ("auth_time", nil, "1788544800"),
      ("missing", nil, nil), ("email_verified", nil, nil),
    ] as [(String?, String?, String?)])
  func theNameOfTheUser(claim: String?, prefix: String?, name: String?) throws {
    let lab = try ProviderFixture {
      $0.options.openID.register = true
      $0.options.openID.usernameClaim = claim
      $0.options.openID.userPrefix = prefix
    }
    let response = try signIn(lab, try lab.tokens().text("id_token"))
    #expect(response.status == (name == nil ? 401 : 200))
    if let name {
      let full = name.replacing("PORT", with: String(lab.port))
      #expect(response.text.contains("\"name\":\"\(full)\"}"), "\(response.text)")
    }
  }
}

@Suite("The gateway's own sign-in") struct GatewayFlowTests {
  /// Goes from `_oidc` over the provider's form to the callback's address.
  private func walk(_ lab: ProviderFixture, _ path: String = "/mfs/_oidc") throws -> (back: String, cookie: [String]) {
    let begun = try lab.gateway("GET", path)
    #expect(begun.status == 302)
    let target = begun.location.dropFirst(lab.provider.issuer.count)
    let answer = try lab.post(String(target), [("username", "alice"), ("password", ProviderFixture.password)])
    #expect(answer.status == 303 && answer.location.hasPrefix(lab.lab.origin + "/mfs/_oidc_callback?code="))
    return (String(answer.location.dropFirst(lab.lab.origin.count)), begun.cookies)
  }

  private func reason(_ response: RawResponse) throws -> String {
    "\(response.status) \(try response.json().text("reason"))"
  }

  @Test func fromTheBeginningToTheSession() throws {
    let lab = try ProviderFixture()
    let begun = try lab.gateway("GET", "/mfs/_oidc?offline=true")
    let cookie = try #require(begun.first("Set-Cookie"))
    #expect(cookie.hasPrefix("sg-oidc-state=") && cookie.hasSuffix("; Path=/mfs; Max-Age=300; HttpOnly"))
    for part in ["access_type=offline", "prompt=consent", "response_type=code", "scope=openid%20email", "&state="] {
      #expect(begun.location.contains(part))
    }
    #expect(!begun.location.contains("nonce") && !begun.location.contains("code_challenge"))
    let way = try walk(lab)
    lab.lab.clock.advance(by: 30)
    let response = try lab.gateway("GET", way.back, way.cookie)
    #expect(response.status == 200)
    let body = try response.json()
    #expect(body.members?.map(\.name) == ["id_token", "refresh_token", "session_id", "name"])
    #expect(body["name"] == "alice" && body.text("session_id").utf8.count == 40)
    // The session lives as long as the ID token.
    let session = try #require(response.all("Set-Cookie").last)
    #expect(session.contains("SyncGatewaySession=\(body.text("session_id")); Path=/mfs; Expires="))
    #expect(session.contains("Fri, 04 Sep 2026 19:00:30 GMT"))
    let own = ["Cookie: SyncGatewaySession=\(body.text("session_id"))"]
    #expect(try lab.gateway("GET", "/mfs/", own).status == 200)
    // The same answer again finds the code used, and that ends the sign-in.
    #expect(try reason(try lab.gateway("GET", way.back, way.cookie)) == "500 Failed to exchange token: invalid_grant")
    #expect(try lab.refresh(body.text("refresh_token")).error == "invalid_grant")
  }

  @Test func theChallengeNamesTheSamePage() throws {
    let lab = try ProviderFixture()
    let response = try lab.gateway("GET", "/mfs/_oidc_challenge")
    #expect(try reason(response) == "401 Login required")
    #expect(response.first("WWW-Authenticate")?.hasPrefix("OIDC login=\"\(lab.provider.issuer)/authorize?") == true)
    #expect(
      try reason(try lab.gateway("GET", "/mfs/_oidc?provider=other")).hasPrefix("400 OpenID Connect not configured"))
    #expect(try lab.gateway("GET", "/mfs/_oidc?provider=lab").status == 302)
  }

  @Test func whatTheCallbackRefuses() throws {
    let lab = try ProviderFixture()
    let way = try walk(lab)
    func answer(_ query: String, _ cookie: [String]) throws -> String {
      try reason(try lab.gateway("GET", "/mfs/_oidc_callback" + query, cookie))
    }
    #expect(
      try answer("?error=access_denied&state=x", way.cookie) == "401 oidc callback received an error: access_denied")
    #expect(try answer("", way.cookie).hasPrefix("400 "))
    #expect(try answer("?code=x&state=x", []).hasPrefix("400 OIDC Auth Failure: No state cookie found"))
    #expect(try answer("?code=x&state=x", way.cookie) == "400 OIDC Auth Failure: State mismatch")
    #expect(try answer("?code=x", way.cookie) == "400 OIDC Auth Failure: State mismatch")
    let state = try #require(way.back.split(separator: "&").first { $0.hasPrefix("state=") })
    #expect(try answer("?code=x&\(state)", way.cookie) == "500 Failed to exchange token: invalid_grant")
    // A code of the public client's is not the gateway's, and the other way round.
    let code = try lab.code()
    #expect(try answer("?code=\(code)&\(state)", way.cookie) == "500 Failed to exchange token: invalid_grant")
    let own = try #require(way.back.split(separator: "?").last?.split(separator: "&").first?.dropFirst(5))
    let callback = lab.lab.origin + "/mfs/_oidc_callback"
    #expect(try lab.exchangeCode(String(own), verifier: nil, redirect: callback).error == "invalid_grant")
  }

  @Test func theSwitchesOfTheCallback() throws {
    let lab = try ProviderFixture {
      $0.options.openID.hasCallbackState = false
      $0.options.openID.makesSession = false
      $0.options.openID.includesAccessToken = true
      $0.provider.options.refreshTokens = .never
    }
    #expect(try lab.gateway("GET", "/mfs/_oidc").first("Set-Cookie") == nil)
    let response = try lab.gateway("GET", try walk(lab).back)
    let names = try response.json().members?.map(\.name)
    #expect(names == ["id_token", "name", "access_token", "token_type", "expires_in"])
    #expect(response.first("Set-Cookie") == nil)
  }

  @Test func aRefreshWorksOnceWithAProviderThatRotates() throws {
    let lab = try ProviderFixture()
    let way = try walk(lab)
    let token = try lab.gateway("GET", way.back, way.cookie).json().text("refresh_token")
    let path = "/mfs/_oidc_refresh?refresh_token=\(token)"
    let first = try lab.gateway("GET", path)
    #expect(try first.json().members?.map(\.name) == ["id_token", "session_id", "name"])
    #expect(first.first("Set-Cookie")?.hasPrefix("SyncGatewaySession=") == true)
    #expect(try reason(try lab.gateway("GET", path)) == "500 Unable to refresh token.")
    #expect(
      try reason(try lab.gateway("GET", "/mfs/_oidc_refresh")) == "400 Refresh token must be present for oidc refresh")
  }

  @Test func everyOtherTroubleOfARefreshLooksTheSame() throws {
    let lab = try ProviderFixture { $0.provider.options.rotatesRefreshTokens = false }
    let way = try walk(lab)
    let token = try lab.gateway("GET", way.back, way.cookie).json().text("refresh_token")
    let path = "/mfs/_oidc_refresh?refresh_token=\(token)"
    #expect(try lab.gateway("GET", path).status == 200 && lab.gateway("GET", path).status == 200)
    lab.provider.faults = [ProviderFault(.unavailable)]
    #expect(try reason(try lab.gateway("GET", path)) == "500 Unable to refresh token.")
    lab.provider.faults = []
    lab.provider.options.refreshBringsIDToken = false
    #expect(try reason(try lab.gateway("GET", path)) == "500 Unable to refresh token.")
    lab.provider.endSignIns()
    #expect(try reason(try lab.gateway("GET", path)) == "500 Unable to refresh token.")
  }

  @Test func aProviderWithoutMetadataIsTrouble() throws {
    let lab = try ProviderFixture { $0.provider.faults = [ProviderFault(.foreignIssuer)] }
    #expect(try lab.gateway("GET", "/mfs/_oidc").status == 500)
    lab.provider.faults = []
    #expect(try lab.gateway("GET", "/mfs/_oidc").status == 302)
  }
}
