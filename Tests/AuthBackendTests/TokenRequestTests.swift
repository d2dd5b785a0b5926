import Basics
import Foundation
import HTTPTestSupport
import Testing

@Suite("/oauth/token: the request")
struct TokenRequestTests {
  private func basic(_ name: String, _ password: String = "", scheme: String = "Basic") -> String {
    "Authorization: \(scheme) " + Data("\(name):\(password)".utf8).base64EncodedString()
  }

  private func right(_ fixture: BackendFixture) throws -> [(String, String)] {
    [
      ("grant_type", "authorization_code"), ("code", try fixture.code()), ("client_id", "app"),
      ("redirect_uri", Asked()["redirect_uri"]), ("code_verifier", Asked.verifier),
    ]
  }

  @Test("TK-01 a code and its verifier give tokens")
  func tokens() throws {
    let fixture = try BackendFixture(), answer = try fixture.post("/oauth/token", right(fixture))
    #expect(answer.status == 200)
    #expect(answer.mediaType == "application/json")
    #expect(answer.first("Cache-Control") == "no-store" && answer.first("Pragma") == "no-cache")
    let json = try answer.json()
    #expect(json["token_type"]?.string == "Bearer")
    #expect(json["access_token"]?.string?.isEmpty == false)
    #expect(json["refresh_token"]?.string?.isEmpty == false)
    #expect((1...900).contains(json["expires_in"]?.number ?? 0))
    #expect(json["scope"]?.string == "openid profile offline_access")
    let claims = try decoded(try #require(json["id_token"]?.string)).claims
    #expect(claims["aud"]?.string == "app" && claims["sub"]?.string == "user_alice")
  }

  @Test("TK-03 nothing is read from the query")
  func query() throws {
    let fixture = try BackendFixture(), items = try right(fixture)
    for headers in [[], ["Content-Type: application/x-www-form-urlencoded"]] {
      let answer = try fixture.send(
        "POST", "/oauth/token?" + formText(items), headers: headers + ["Content-Length: 0"])
      #expect(answer.status == 400)
      #expect(answer.error == "invalid_request")
    }
    // A stray one beside the form is not read either, and the code was not spent.
    let answer = try fixture.post("/oauth/token?client_id=other&code=x", items)
    #expect(answer.status == 200)
  }

  @Test(
    "TK-05 the media type may have parameters and any case",
    arguments: [
      "application/x-www-form-urlencoded; charset=UTF-8", "Application/X-WWW-Form-URLEncoded;charset=utf-8",
      "application/x-www-form-urlencoded ; a=\"b\"",
    ])
  func mediaType(_ type: String) throws {
    let fixture = try BackendFixture()
    let answer = try fixture.send(
      "POST", "/oauth/token", headers: ["content-type: \(type)"], body: formText(right(fixture)))
    #expect(answer.status == 200)
  }

  @Test(
    "another media type is refused",
    arguments: ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
  func otherMediaType(_ type: String) throws {
    let fixture = try BackendFixture()
    let answer = try fixture.send(
      "POST", "/oauth/token", headers: ["Content-Type: \(type)"], body: formText(right(fixture)))
    #expect(answer.status == 400)
    #expect(answer.error == "invalid_request")
  }

  @Test("TK-07 no grant_type is an invalid request")
  func noGrant() throws {
    let fixture = try BackendFixture()
    let answer = try fixture.post("/oauth/token", right(fixture).filter { $0.0 != "grant_type" })
    #expect(answer.status == 400)
    #expect(answer.error == "invalid_request")
    let empty = try fixture.post("/oauth/token", [("grant_type", ""), ("client_id", "app")])
    #expect(empty.error == "invalid_request")
  }

  @Test(
    "TK-08 grants that the server or the client does not have",
    arguments: [
      "password", "client_credentials", "foo", "implicit", "Refresh_token",
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ])
  func unsupported(_ grant: String) throws {
    let fixture = try BackendFixture()
    let answer = try fixture.post(
      "/oauth/token",
      [("grant_type", grant), ("client_id", "app"), ("username", "alice"), ("password", Registry.password)])
    #expect(answer.status == 400)
    #expect(answer.error == "unsupported_grant_type")
    let tokens = try Tokens(fixture.redeem(fixture.code(Asked("once")), Asked("once")))
    #expect(tokens.refresh == "", "a client that may not refresh is given nothing to refresh with")
    let known = try fixture.refresh("mfr_x", client: "once")
    #expect(known.status == 400)
    #expect(known.error == "unauthorized_client")
  }

  @Test(
    "TK-10 an unknown client is told so, by a challenge where it used a header", arguments: ["nobody", "off", "App"])
  func unknownClient(_ id: String) throws {
    let fixture = try BackendFixture(), items = try right(fixture).filter { $0.0 != "client_id" }
    let inForm = try fixture.post("/oauth/token", items + [("client_id", id)])
    #expect([400, 401].contains(inForm.status))
    #expect(inForm.error == "invalid_client")
    let inHeader = try fixture.post("/oauth/token", items, headers: [basic(id)])
    #expect(inHeader.status == 401)
    #expect(inHeader.error == "invalid_client")
    #expect(inHeader.first("WWW-Authenticate")?.hasPrefix("Basic ") == true)
  }

  @Test(
    "TK-11 a public client may name itself by Basic with an empty password", arguments: ["Basic", "basic", "BASIC"])
  func emptyPassword(_ scheme: String) throws {
    let fixture = try BackendFixture(), items = try right(fixture).filter { $0.0 != "client_id" }
    let answer = try fixture.post("/oauth/token", items, headers: [basic("app", scheme: scheme)])
    #expect(answer.status == 200)
  }

  @Test("a secret that a public client does not have, or two names, are refused")
  func wrongCredentials() throws {
    let fixture = try BackendFixture(), items = try right(fixture)
    let secret = try fixture.post("/oauth/token", items, headers: [basic("app", "secret")])
    #expect(secret.status == 401)
    #expect(secret.error == "invalid_client")
    let two = try fixture.post("/oauth/token", items, headers: [basic("other")])
    #expect(two.status == 400)
    #expect(two.error == "invalid_request")
    for field in [
      "Authorization: Bearer x", "Authorization: Basic", "Authorization: Basic !!", "Authorization: Basic YXBw",
    ] {
      let answer = try fixture.post("/oauth/token", items, headers: [field])
      #expect(answer.status == 401, "\(field)")
      #expect(answer.first("WWW-Authenticate")?.hasPrefix("Basic ") == true)
    }
    #expect(try fixture.post("/oauth/token", items).status == 200, "none of these spent the code")
  }

  @Test("TK-13 a client id with odd characters is form-encoded in Basic")
  func encodedName() throws {
    let fixture = try BackendFixture(), id = "odd:id%2B+é", asked = Asked(id)
    let items = try [
      ("grant_type", "authorization_code"), ("code", fixture.code(asked)), ("redirect_uri", asked["redirect_uri"]),
      ("code_verifier", Asked.verifier),
    ]
    #expect(try fixture.post("/oauth/token", items, headers: [basic(id)]).status == 401, "not encoded: another name")
    #expect(try fixture.post("/oauth/token", items, headers: [basic(encoded(id))]).status == 200)
  }

  @Test("TK-14 a body of more than 64 KiB, and 2,000 parameters, are refused")
  func tooLarge() throws {
    let fixture = try BackendFixture(), items = try right(fixture)
    for size in [65_536, 200_000, 2_000_000] {
      let answer = try fixture.post("/oauth/token", items + [("x", String(repeating: "x", count: size))])
      #expect([400, 413].contains(answer.status))
      if size < 1_000_000 { #expect(answer.error == "invalid_request") }
    }
    let many = try fixture.post("/oauth/token", items + (0..<2_000).map { ("p\($0)", "") })
    #expect([400, 413].contains(many.status))
    #expect(many.error == "invalid_request")
    #expect(try fixture.post("/oauth/token", items).status == 200)
  }

  @Test("TK-14 what is remembered of made-up clients and devices is bounded", arguments: ["client_id", "device_id"])
  func boundedKeys(_ name: String) throws {
    let fixture = try BackendFixture {
      $0.tokenRequestsPerClientAndAddress = 1
      $0.tokenRequestsPerDevice = 1
    }
    let right = [("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", "x")]
    let items = right.filter { $0.0 != name } + [(name, String(repeating: "x", count: 60_000))]
    for _ in 0..<3 {
      // Not 429: nothing is counted under it.
      let answer = try fixture.post("/oauth/token", items)
      #expect([400, 401].contains(answer.status))
      #expect(["invalid_client", "invalid_request"].contains(answer.error))
    }
  }

  @Test(
    "TK-16 what cannot be decoded is refused",
    arguments: [
      "%zz", "%", "%4", "code=%ff", "%ff=x", "code=%c3%28", "code=%00", "a%00b=c", "code=\u{0}", "code=%ed%a0%80", "=%",
    ])
  func undecodable(_ text: String) throws {
    let fixture = try BackendFixture()
    let answer = try fixture.send(
      "POST", "/oauth/token", headers: ["Content-Type: application/x-www-form-urlencoded"],
      body: "grant_type=refresh_token&client_id=app&" + text)
    #expect(answer.status == 400)
    #expect(answer.error == "invalid_request")
  }

  @Test("TK-17 unknown parameters are ignored")
  func unknownParameters() throws {
    let fixture = try BackendFixture()
    let answer = try fixture.post(
      "/oauth/token",
      right(fixture) + [("response_type", "token"), ("audience", "x"), ("resource", "y"), ("é", "\u{1F511}")])
    #expect(answer.status == 200)
  }

  @Test(
    "a parameter that stands twice is refused, and spends nothing (RFC 6749 3.2)",
    arguments: [
      "grant_type", "code", "client_id", "redirect_uri", "code_verifier", "foo", "\"\\é",
    ])
  func twice(_ name: String) throws {
    let fixture = try BackendFixture(), items = try right(fixture)
    let value = items.first { $0.0 == name }?.1 ?? "x"
    let answer = try fixture.post("/oauth/token", items + (value == "x" ? [(name, "x")] : []) + [(name, value)])
    #expect(answer.status == 400)
    #expect(answer.error == "invalid_request")
    let text = try answer.json()["error_description"]?.string ?? ""
    #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7E && $0 != 0x22 && $0 != 0x5C }, "\(text)")
    #expect(try fixture.post("/oauth/token", items).status == 200)
  }

  @Test("other methods are not allowed, and every answer of the endpoint is kept by no cache")
  func methods() throws {
    let fixture = try BackendFixture()
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
      let answer = try fixture.send(method, "/oauth/token?" + formText(right(fixture)))
      #expect(answer.status == 405)
      #expect(answer.first("Allow") == "POST")
    }
    let refused = try fixture.post("/oauth/token", [("client_id", "app")])
    #expect(refused.first("Cache-Control") == "no-store")
    #expect(refused.mediaType == "application/json")
  }
}
