import Basics
import GatewayLab
import HTTPTestSupport
import JOSE
import Testing

@Suite("The token endpoint") struct TokenTests {
  @Test(arguments: JWSAlgorithm.allCases)
  func aCodeBringsValidTokens(algorithm: JWSAlgorithm) throws {
    let lab = try ProviderFixture {
      $0.provider.options.algorithm = algorithm
      $0.provider.options.namesAuthorizedParty = true
      $0.provider.options.employeeIDs = ["alice": "E-17"]
    }
    let response = try lab.exchangeCode(try lab.code())
    #expect(response.status == 200 && response.first("Cache-Control") == "no-store")
    let answer = try response.json()
    #expect(answer["token_type"] == "Bearer" && answer["expires_in"] == 600)
    #expect(answer["scope"] == "openid profile email")
    let token = answer.text("id_token")
    #expect(try lab.refusal(token, access: answer.text("access_token")) == nil)
    let all = try claims(token)
    let start = ProviderFixture.start.seconds
    #expect(all["iss"] == .string(lab.provider.issuer) && all["sub"] == "alice" && all["aud"] == "mfs")
    #expect(all["exp"] == .integer(start + 3_600) && all["iat"] == .integer(start))
    #expect(all["auth_time"] == .integer(start) && all["nonce"] == .string(ProviderFixture.nonce))
    #expect(all["azp"] == "mfs" && all["preferred_username"] == "alice" && all["employeeId"] == "E-17")
    #expect(all["email"] == "alice@example.com")
    let header = try JSONReader.value(try #require(Base64URL.decode(String(token.split(separator: ".")[0]))))
    #expect(header["alg"] == .string(algorithm.rawValue))
    #expect(header["kid"]?.string == lab.provider.publicKeys.first?.id)
  }

  @Test func theScopeDecidesWhatATokenSays() throws {
    let lab = try ProviderFixture { $0.provider.options.employeeIDs = ["alice": "E-17"] }
    let least = try claims(try lab.tokens(["scope": "openid", "nonce": nil]).text("id_token"))
    for name in ["nonce", "azp", "preferred_username", "email", "employeeId"] { #expect(least[name] == nil) }
    #expect(try lab.tokens(["scope": "profile"])["id_token"] == nil)
  }

  @Test func aCodeIsGoodOnce() throws {
    let lab = try ProviderFixture()
    let code = try lab.code()
    let first = try lab.exchangeCode(code).json()
    #expect(try lab.get("/userinfo", ["Authorization: Bearer \(first.text("access_token"))"]).status == 200)
    #expect(try lab.exchangeCode(code).error == "invalid_grant")
    // What the first use brought is dead now.
    #expect(try lab.refresh(first.text("refresh_token")).error == "invalid_grant")
    #expect(try lab.get("/userinfo", ["Authorization: Bearer \(first.text("access_token"))"]).status == 401)
    #expect(lab.provider.liveSignIns == 0)
  }

  @Test func aCodeIsForWhoAskedForIt() throws {
    let lab = try ProviderFixture()
    let wrong = "xBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    #expect(try lab.exchangeCode(try lab.code(), verifier: wrong).error == "invalid_grant")
    #expect(try lab.exchangeCode(try lab.code(), verifier: nil).error == "invalid_grant")
    let other = "http://127.0.0.1:53998/callback"
    #expect(try lab.exchangeCode(try lab.code(), redirect: other).error == "invalid_grant")
    #expect(try lab.exchangeCode("made-up").error == "invalid_grant")
    // A wrong verifier uses it up.
    let code = try lab.code()
    #expect(try lab.exchangeCode(code, verifier: wrong).error == "invalid_grant")
    #expect(try lab.exchangeCode(code).error == "invalid_grant")
  }

  @Test func aCodeLivesAMinute() throws {
    let lab = try ProviderFixture()
    let code = try lab.code(), late = try lab.code()
    lab.lab.clock.advance(by: 59)
    #expect(try lab.exchangeCode(code).status == 200)
    lab.lab.clock.advance(by: 1)
    #expect(try lab.exchangeCode(late).error == "invalid_grant")
  }

  @Test func whatIsNoRequestIsRefused() throws {
    let lab = try ProviderFixture()
    let unknown = try lab.exchangeCode("x", client: "other")
    #expect(unknown.status == 401 && unknown.error == "invalid_client")
    let basic = try lab.post("/token", [("client_id", "mfs")], ["Authorization: Basic bWZzOng="])
    #expect(basic.status == 401 && basic.first("WWW-Authenticate")?.hasPrefix("Basic ") == true)
    #expect(try lab.post("/token", [("client_id", "mfs")]).error == "invalid_request")
    #expect(try lab.post("/token", [("client_id", "mfs"), ("client_id", "mfs")]).error == "invalid_request")
    let grants = [
      ("password", "unsupported_grant_type"), ("authorization_code", "invalid_request"),
      ("refresh_token", "invalid_request"), ("urn:ietf:params:oauth:grant-type:device_code", "invalid_request"),
    ]
    for (grant, error) in grants {
      #expect(try lab.post("/token", [("client_id", "mfs"), ("grant_type", grant)]).error == error)
    }
    let json = try #require(
      try exchange(lab.port, "POST", "/token", headers: ["Content-Type: application/json"], body: "{}"))
    #expect(json.error == "invalid_request")
    let broken = try #require(
      try exchange(
        lab.port, "POST", "/token", headers: ["Content-Type: application/x-www-form-urlencoded"], body: "client_id=%4"))
    #expect(broken.error == "invalid_request")
    #expect(try lab.get("/token").status == 405)
  }
}

@Suite("Refresh tokens") struct RefreshTests {
  @Test func eachUseReplacesIt() throws {
    let lab = try ProviderFixture()
    let first = try lab.tokens()
    lab.lab.clock.advance(by: 1_000)
    let second = try lab.refresh(first.text("refresh_token")).json()
    #expect(second.text("refresh_token") != first.text("refresh_token") && second["refresh_token"] != nil)
    let token = second.text("id_token")
    #expect(try lab.refusal(token, .refresh, access: second.text("access_token"), subject: "alice") == nil)
    let all = try claims(token)
    #expect(all["nonce"] == nil && all["auth_time"] == .integer(ProviderFixture.start.seconds))
    #expect(try lab.refresh(second.text("refresh_token")).status == 200)
    #expect(lab.provider.liveSignIns == 1)
  }

  @Test(arguments: [false, true])
  func aSecondUseEndsTheSignIn(isEmpty: Bool) throws {
    let lab = try ProviderFixture { $0.provider.options.rejectsRefreshWithoutBody = isEmpty }
    let first = try lab.tokens()
    let second = try lab.refresh(first.text("refresh_token")).json()
    let replay = try lab.refresh(first.text("refresh_token"))
    #expect(replay.status == 400 && replay.error == (isEmpty ? nil : "invalid_grant") && replay.body.isEmpty == isEmpty)
    #expect(try lab.refresh(second.text("refresh_token")).status == 400)
    #expect(lab.provider.liveSignIns == 0)
  }

  @Test func ofManyWhoBringItAtOnceOneGetsSomething() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("refresh_token")
    let connections = try (0..<16).map { _ in try RawConnection(port: lab.port) }
    let body = query([("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "mfs")])
    for connection in connections {
      connection.send(
        "POST /token HTTP/1.1\r\nHost: 127.0.0.1:\(lab.port)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    }
    let statuses = connections.compactMap { $0.response()?.status }
    #expect(statuses.count == 16 && statuses.count { $0 == 200 } == 1)
    #expect(lab.provider.liveSignIns == 0)
  }

  @Test func withoutRotationItStaysTheSame() throws {
    let lab = try ProviderFixture { $0.provider.options.rotatesRefreshTokens = false }
    let token = try lab.tokens().text("refresh_token")
    for _ in 0..<3 {
      let answer = try lab.refresh(token)
      #expect(try answer.status == 200 && answer.json()["refresh_token"] == nil && answer.json()["id_token"] != nil)
    }
  }

  @Test func whenItIsIssued() throws {
    let lab = try ProviderFixture { $0.provider.options.refreshTokens = .offlineAccess }
    #expect(try lab.tokens()["refresh_token"] == nil)
    #expect(try lab.tokens(["scope": "openid offline_access"])["refresh_token"] != nil)
    lab.provider.options.refreshTokens = .never
    #expect(try lab.tokens(["scope": "openid offline_access"])["refresh_token"] == nil)
    let grants = try lab.get("/.well-known/openid-configuration").json()["grant_types_supported"]?.strings
    #expect(grants?.contains("refresh_token") == false)
  }

  @Test func aRefreshMayBringNoIDToken() throws {
    let lab = try ProviderFixture { $0.provider.options.refreshBringsIDToken = false }
    let answer = try lab.refresh(try lab.tokens().text("refresh_token")).json()
    #expect(answer["id_token"] == nil && answer["access_token"] != nil && answer["refresh_token"] != nil)
  }

  @Test func theScopeCanOnlyShrink() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens(["scope": "openid email"]).text("refresh_token")
    #expect(try lab.refresh(token, scope: "openid profile").error == "invalid_scope")
    #expect(try lab.refresh(token, scope: "openid").json()["scope"] == "openid")
  }

  @Test func itsTimeComes() throws {
    let lab = try ProviderFixture { $0.provider.options.refreshTokenLifetime = 100 }
    let token = try lab.tokens().text("refresh_token")
    lab.lab.clock.advance(by: 100)
    #expect(try lab.refresh(token).error == "invalid_grant")
  }

  @Test func everySignInCanBeEnded() throws {
    let lab = try ProviderFixture()
    let cookie = try lab.signIn().cookies
    let tokens = try lab.tokens()
    lab.provider.endSignIns()
    #expect(try lab.refresh(tokens.text("refresh_token")).error == "invalid_grant")
    #expect(try lab.get(lab.request(), cookie).status == 200)
  }
}
