import Basics
import GatewayLab
import HTTPTestSupport
import Testing

@Suite("Metadata and keys") struct MetadataTests {
  @Test func theMetadataNameEveryEndpoint() throws {
    let lab = try ProviderFixture()
    let response = try lab.get("/.well-known/openid-configuration")
    #expect(response.status == 200 && response.first("Content-Type") == "application/json")
    let metadata = try response.json()
    let issuer = lab.provider.issuer
    #expect(metadata["issuer"] == .string(issuer))
    let names = [
      "authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/jwks",
      "userinfo_endpoint": "/userinfo", "revocation_endpoint": "/revoke", "introspection_endpoint": "/introspect",
      "device_authorization_endpoint": "/device_authorization", "end_session_endpoint": "/end_session",
    ]
    for (name, path) in names { #expect(metadata[name] == .string(issuer + path)) }
    #expect(metadata["code_challenge_methods_supported"]?.strings == ["S256"])
    #expect(metadata["authorization_response_iss_parameter_supported"] == true)
    #expect(metadata["id_token_signing_alg_values_supported"]?.strings == ["ES256"])
  }

  @Test func whatIsLeftOutIsNotThere() throws {
    let lab = try ProviderFixture { $0.provider.options.absent = [.revoke, .deviceAuthorization, .endSession] }
    let metadata = try lab.get("/.well-known/openid-configuration").json()
    for name in ["revocation_endpoint", "device_authorization_endpoint", "end_session_endpoint"] {
      #expect(metadata[name] == nil)
    }
    #expect(try lab.post("/revoke", [("client_id", "mfs"), ("token", "x")]).status == 404)
    #expect(try lab.get("/end_session").status == 404)
    let grant = [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "x")]
    #expect(try lab.post("/token", grant + [("client_id", "mfs")]).error == "unsupported_grant_type")
  }

  @Test func theOldKeyStaysForAWhile() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("id_token"), first = try lab.keys().keys.map(\.id)
    try lab.provider.rotateKeys()
    #expect(try lab.keys().keys.map(\.id).dropFirst() == first[...])
    #expect(try lab.refusal(token) == nil && lab.refusal(try lab.tokens().text("id_token")) == nil)
    try lab.provider.rotateKeys()
    #expect(try lab.refusal(token) == "unknown-key" && lab.keys().keys.count == 2)
  }

  @Test func anotherAlgorithmHasANewKey() throws {
    let lab = try ProviderFixture()
    lab.provider.options.algorithm = .edDSA
    #expect(try lab.keys().keys.map(\.algorithm) == ["EdDSA", "ES256"])
    #expect(try lab.refusal(try lab.tokens().text("id_token")) == nil)
  }

  @Test func onlyItsOwnNameIsAnswered() throws {
    let lab = try ProviderFixture()
    let connection = try RawConnection(port: lab.port)
    connection.send("GET /jwks HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    #expect(connection.response()?.status == 421)
    #expect(try lab.get("/").status == 404 && lab.get("/jwks/").status == 404)
    let put = try #require(try exchange(lab.port, "PUT", "/jwks"))
    #expect(put.status == 405 && put.first("Allow") == "GET, HEAD")
    let head = try #require(try exchange(lab.port, "HEAD", "/jwks"))
    #expect(head.status == 200 && head.body.isEmpty)
  }
}

@Suite("The device flow") struct DeviceTests {
  private func begin(_ lab: ProviderFixture) throws -> JSONValue {
    let response = try lab.post("/device_authorization", [("client_id", "mfs"), ("scope", "openid profile")])
    #expect(response.status == 200)
    return try response.json()
  }

  private func poll(_ lab: ProviderFixture, _ begun: JSONValue) throws -> RawResponse {
    try lab.post(
      "/token",
      [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", begun.text("device_code")),
        ("client_id", "mfs"),
      ])
  }

  private func decide(_ lab: ProviderFixture, _ code: String, _ action: String = "allow") throws -> RawResponse {
    try lab.post(
      "/device",
      [("user_code", code), ("username", "bob"), ("password", ProviderFixture.password), ("action", action)])
  }

  @Test func aPersonTypesTheCodeElsewhere() throws {
    let lab = try ProviderFixture()
    let begun = try begin(lab)
    let code = begun.text("user_code")
    #expect(begun["verification_uri"] == .string(lab.provider.issuer + "/device"))
    #expect(begun.text("verification_uri_complete") == lab.provider.issuer + "/device?user_code=\(code)")
    #expect(begun["expires_in"] == 600 && begun["interval"] == 5)
    let page = try lab.get("/device?user_code=\(code)")
    #expect(page.text.contains("value=\"\(code)\"") && page.text.contains("<label for=\"user_code\">"))
    #expect(try poll(lab, begun).error == "authorization_pending")
    // However it is typed.
    #expect(try decide(lab, " " + code.lowercased().replacing("-", with: " ")).status == 200)
    let tokens = try poll(lab, begun).json()
    #expect(tokens["refresh_token"] != nil)
    #expect(try lab.refusal(tokens.text("id_token"), nonce: nil, access: tokens.text("access_token")) == nil)
    #expect(try claims(tokens.text("id_token"))["sub"] == "bob")
    #expect(try poll(lab, begun).error == "invalid_grant")
  }

  @Test func whoAsksTooOftenWaitsLonger() throws {
    let lab = try ProviderFixture()
    let begun = try begin(lab)
    #expect(try poll(lab, begun).error == "authorization_pending")
    lab.lab.clock.advance(by: 4)
    #expect(try poll(lab, begun).error == "slow_down")
    lab.lab.clock.advance(by: 9)
    #expect(try poll(lab, begun).error == "slow_down")
    lab.lab.clock.advance(by: 15)
    #expect(try poll(lab, begun).error == "authorization_pending")
  }

  @Test func refusedOrLate() throws {
    let lab = try ProviderFixture()
    let refused = try begin(lab), late = try begin(lab)
    #expect(try decide(lab, refused.text("user_code"), "deny").status == 200)
    #expect(try poll(lab, refused).error == "access_denied")
    lab.lab.clock.advance(by: 600)
    #expect(try poll(lab, late).error == "expired_token")
    #expect(try decide(lab, late.text("user_code")).status == 400)
    #expect(try decide(lab, "BCDF-GHJK").status == 400)
  }

  @Test func thePageAsksForASignIn() throws {
    let lab = try ProviderFixture()
    let code = try begin(lab).text("user_code")
    #expect(try lab.post("/device", [("user_code", code)]).status == 403)
    #expect(
      try lab.post("/device", [("user_code", code), ("username", "bob"), ("password", "wrong")]).status == 403)
    #expect(try lab.post("/device", [("user_code", code)], ["Origin: https://evil.example"]).status == 403)
    let cookie = try lab.signIn().cookies
    #expect(try lab.get("/device", cookie).text.contains("You are signed in as alice."))
    #expect(try lab.post("/device", [("user_code", code), ("action", "allow")], cookie).status == 200)
  }
}

@Suite("What ends, and what can be asked") struct EndingTests {
  @Test func revocation() throws {
    let lab = try ProviderFixture()
    let first = try lab.tokens(), second = try lab.tokens()
    func revoke(_ token: String, client: String = "mfs") throws -> RawResponse {
      try lab.post("/revoke", [("token", token), ("client_id", client)])
    }
    #expect(try revoke(first.text("access_token")).status == 200)
    #expect(try lab.get("/userinfo", ["Authorization: Bearer \(first.text("access_token"))"]).status == 401)
    #expect(try lab.refresh(first.text("refresh_token")).status == 200)
    #expect(try revoke(second.text("refresh_token")).status == 200)
    #expect(try lab.refresh(second.text("refresh_token")).error == "invalid_grant")
    #expect(try lab.get("/userinfo", ["Authorization: Bearer \(second.text("access_token"))"]).status == 401)
    #expect(try revoke("made-up").status == 200)
    #expect(try revoke("x", client: "other").error == "invalid_client")
    #expect(try lab.post("/revoke", [("client_id", "mfs")]).error == "invalid_request")
  }

  @Test func userInfo() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens(["scope": "openid email"]).text("access_token")
    let answer = try lab.get("/userinfo", ["Authorization: Bearer \(token)"])
    #expect(answer.text == #"{"sub":"alice","email":"alice@example.com","email_verified":true}"#)
    #expect(try lab.get("/userinfo").first("WWW-Authenticate") == "Bearer")
    let wrong = try lab.get("/userinfo", ["Authorization: Bearer x"])
    #expect(wrong.status == 401 && wrong.first("WWW-Authenticate") == #"Bearer error="invalid_token""#)
    let poor = try lab.tokens(["scope": "email"]).text("access_token")
    #expect(try lab.get("/userinfo", ["Authorization: Bearer \(poor)"]).status == 403)
    lab.lab.clock.advance(by: 600)
    #expect(try lab.get("/userinfo", ["Authorization: Bearer \(token)"]).status == 401)
  }

  @Test func introspection() throws {
    let lab = try ProviderFixture()
    let tokens = try lab.tokens()
    func ask(_ token: String) throws -> JSONValue {
      try lab.post("/introspect", [("token", token), ("client_id", "mfs")]).json()
    }
    let access = try ask(tokens.text("access_token")), refresh = try ask(tokens.text("refresh_token"))
    #expect(access["active"] == true && access["sub"] == "alice" && access["token_type"] == "Bearer")
    #expect(access["exp"] == .integer(ProviderFixture.start.seconds + 600))
    #expect(refresh["active"] == true && refresh["token_type"] == "refresh_token")
    #expect(try ask("made-up") == ["active": false])
    _ = try lab.refresh(tokens.text("refresh_token"))
    #expect(try ask(tokens.text("refresh_token")) == ["active": false])
  }

  @Test func aHintEndsTheBrowsersSignIn() throws {
    let lab = try ProviderFixture()
    let hint = try lab.tokens().text("id_token"), cookie = try lab.signIn().cookies
    // However old it is, and whatever became of the key (RP-Initiated Logout 1.0 2).
    lab.lab.clock.advance(by: 7_200)
    for _ in 0..<3 { try lab.provider.rotateKeys() }
    let answer = try lab.get(
      "/end_session?"
        + query([
          ("id_token_hint", hint), ("state", "a b"), ("post_logout_redirect_uri", "http://127.0.0.1:7/callback"),
        ]), cookie)
    #expect(answer.status == 302 && answer.location == "http://127.0.0.1:7/callback?state=a%20b")
    #expect(answer.first("Set-Cookie")?.hasSuffix("Max-Age=0") == true)
    #expect(try lab.get(lab.request(), cookie).status == 200)
    #expect(try lab.get(lab.request(["prompt": "none"]), cookie).answer["error"] == "login_required")
  }

  @Test func byPostToo() throws {
    let lab = try ProviderFixture()
    let hint = try lab.tokens().text("id_token"), cookie = try lab.signIn().cookies
    let answer = try lab.post("/end_session", [("id_token_hint", hint), ("client_id", "mfs")], cookie)
    #expect(answer.status == 200 && answer.text.contains("You are signed out"))
    #expect(try lab.get(lab.request(), cookie).status == 200)
  }

  @Test func withoutAHintThePersonIsAsked() throws {
    let lab = try ProviderFixture()
    let bobs = try lab.tokens().text("id_token")
    let cookie = try lab.signIn(user: "bob").cookies
    for path in ["/end_session", "/end_session?id_token_hint=\(bobs)"] {
      let page = try lab.get(path, cookie)
      #expect(page.status == 200 && page.text.contains("Sign out?") && page.first("Set-Cookie") == nil)
    }
    let evil = ["Origin: https://evil.example"] + cookie
    #expect(try lab.post("/end_session", [("action", "sign-out")], evil).text.contains("Sign out?"))
    #expect(try lab.get(lab.request(), cookie).status == 302)
    let own = ["Origin: \(lab.provider.issuer)"] + cookie
    #expect(try lab.post("/end_session?client_id=mfs", [("action", "sign-out")], own).text.contains("signed out"))
    #expect(try lab.get(lab.request(), cookie).status == 200)
  }

  @Test func nobodyIsSentElsewhere() throws {
    let lab = try ProviderFixture()
    let hint = try lab.tokens().text("id_token")
    for path in [
      "/end_session?id_token_hint=\(hint)&post_logout_redirect_uri=https%3A%2F%2Fevil.example",
      "/end_session?post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback", "/end_session?id_token_hint=x",
      "/end_session?client_id=other",
    ] {
      let page = try lab.get(path)
      #expect(page.status == 400 && page.first("Location") == nil, "\(path)")
    }
  }
}
