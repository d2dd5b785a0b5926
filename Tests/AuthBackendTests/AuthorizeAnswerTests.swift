import Basics
import HTTPTestSupport
import Testing

@Suite("/authorize: answers that go back to the app")
struct AuthorizeAnswerTests {
  @Test("AZ-01 a signed-in user goes back with code, state and iss")
  func code() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    #expect(try browser.authorize(Asked()).status == 303)
    let answer = try browser.get(Asked().target)
    #expect(answer.status == 303)
    let there = try #require(answer.destination)
    #expect(there.text.hasPrefix("https://app.example/cb?"))
    #expect(there["code"]?.isEmpty == false)
    #expect(there["state"] == Asked.state)
    #expect(there["iss"] == fixture.issuer)
    #expect(!there.text.contains("#"))
    #expect(there.items.map(\.name) == ["code", "state", "iss"])
    let metadata = try fixture.send("GET", "/.well-known/openid-configuration").json()
    #expect(metadata["issuer"]?.string == there["iss"])
  }

  @Test(
    "AZ-08 any port of a loopback address is taken",
    arguments: [
      "http://127.0.0.1:53127/cb", "http://127.0.0.1/cb", "http://[::1]:1/cb", "http://127.0.0.1:65535/cb",
    ])
  func loopback(_ uri: String) throws {
    let fixture = try BackendFixture(), asked = Asked("loopback", redirect: uri)
    let answer = try Browser(fixture).authorize(asked)
    #expect(answer.isRedirect)
    #expect(answer.first("Location")?.hasPrefix(uri + "?code=") == true)
    // The token request is held to the port that was asked with.
    let code = try #require(answer.destination?["code"])
    #expect(try fixture.redeem(code, asked).status == 200)
  }

  @Test(
    "AZ-08 what only looks like a loopback address is refused",
    arguments: [
      "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:/cb", "http://127.0.0.1:80:90/cb",
      "http://127.0.0.1.evil.example/cb", "http://127.0.0.1:53127/cb2", "http://127.0.0.1:53127/cb/", "http://127.1/cb",
      "http://localhost:53127/cb", "http://0.0.0.0/cb", "https://127.0.0.1:53127/cb",
      "http://127.0.0.1:53127@evil.example/cb",
      "http://[::1]evil.example/cb", "http://127.0.0.1:+80/cb", "http://127.0.0.1:00080/cb?x",
    ])
  func notLoopback(_ uri: String) throws {
    let fixture = try BackendFixture()
    try expectPage(try Browser(fixture).get(Asked("loopback", redirect: uri).target))
  }

  @Test("AZ-10 a private-use scheme keeps its single slash")
  func privateScheme() throws {
    let fixture = try BackendFixture()
    let answer = try Browser(fixture).authorize(Asked("scheme"))
    #expect(answer.isRedirect)
    #expect(answer.first("Location")?.hasPrefix("com.example.app:/cb?code=") == true)
    for other in ["com.example.app://cb", "COM.example.app:/cb", "com.example.app:/cb/", "com.example.app:/cb?"] {
      try expectPage(try Browser(fixture).get(Asked("scheme", redirect: other).target))
    }
  }

  @Test("AZ-18 an unknown parameter is ignored")
  func unknownParameter() throws {
    let fixture = try BackendFixture()
    let answer = try Browser(fixture).authorize(Asked().with("foo", "bar").with("ünknown", "\u{1F511}"))
    #expect(answer.destination?["code"] != nil)
  }

  @Test("parameters of OpenID Connect that nothing is done with are no error (OpenID Connect Core 15.1)")
  func unusedParameters() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    for (name, values) in [
      ("display", ["page", "popup", "touch", "wap", "x"]), ("ui_locales", ["fr-CA fr en", "x"]),
      ("claims_locales", ["de", "x y"]), ("acr_values", ["urn:mace:incommon:iap:silver", "0 1"]),
    ] {
      for value in values {
        let asked = Asked().with(name, value)
        let code = try #require(try browser.get(asked.target).destination?["code"], "\(name)=\(value)")
        #expect(try fixture.redeem(code, asked).status == 200)
      }
    }
  }

  @Test("AZ-19 an empty parameter counts as absent")
  func emptyParameter() throws {
    let fixture = try BackendFixture()
    var asked = Asked().with("scope", "").with("nonce", "")
    for name in ["prompt", "max_age", "id_token_hint", "login_hint", "request", "response_mode", "device_id"] {
      asked = asked.with(name, "")
    }
    let answer = try Browser(fixture).authorize(asked)
    let tokens = try Tokens(fixture.redeem(try #require(answer.destination?["code"]), asked))
    #expect(tokens.id == nil)
    #expect(tokens.json["scope"]?.string == "")
    let noState = try Browser(fixture).authorize(Asked().with("state", ""))
    #expect(noState.destination?.items.map(\.name) == ["code", "iss"])
    let missing = try Browser(fixture).get(Asked().with("response_type", "").target)
    #expect(missing.destination?["error"] == "invalid_request")
  }

  @Test("AZ-21 the redirect address keeps its own query")
  func ownQuery() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    for answer in [
      try browser.authorize(Asked("query")), try browser.get(Asked("query").with("response_type", "token").target),
    ] {
      let there = try #require(answer.destination)
      #expect(there.text.hasPrefix("https://app.example/cb?t=1&"))
      #expect(there.text.count { $0 == "?" } == 1)
      #expect(there["t"] == "1")
      #expect(there["state"] == Asked.state)
    }
    // The query is part of the address (conformance suite: redirect query added, mismatched).
    for other in ["https://app.example/cb", "https://app.example/cb?t=2", "https://app.example/cb?t=1&u=2"] {
      try expectPage(try browser.get(Asked("query", redirect: other).target))
    }
  }

  @Test("AZ-22 the same parameters in a form give the same result")
  func postedRequest() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let page = try browser.post("/authorize", Asked().items)
    #expect(page.status == 200)
    let answer = try browser.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
    #expect(answer.status == 303)
    #expect(answer.destination?["code"] != nil)
    let again = try browser.post("/authorize", Asked().items)
    #expect(again.destination?.items.map(\.name) == ["code", "state", "iss"])
    #expect(again.destination?["state"] == Asked.state)
    let refused = try browser.post("/authorize", Asked().with("response_type", "token").items)
    #expect(refused.destination?["error"] == "unsupported_response_type")
    try expectPage(try browser.post("/authorize", Asked().with("client_id", "nobody").items))
  }

  @Test("AZ-33 the code cannot be guessed, is short-lived and is stored as a keyed hash")
  func codeItself() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    var codes: Set<String> = []
    for _ in 0..<20 {
      let code = try fixture.code(in: browser)
      #expect(
        code.utf8.allSatisfy {
          UnicodeScalar($0).properties.isAlphabetic || ($0 >= 48 && $0 <= 57) || "-_".utf8.contains($0)
        })
      #expect(code.utf8.count >= 4 + 22, "22 characters of base64url are 128 bits")
      codes.insert(code)
    }
    #expect(codes.count == 20)
    #expect(fixture.backend.settings.codeSeconds <= 60)
    let code = try #require(codes.first)
    for file in ["auth.db", "auth.db-wal"] {
      #expect(try !contains(fixture.folder(file), code))
    }
    // What is kept of each is its hash under the server's pepper, and nothing else of it.
    let kept = try Set(fixture.rows("SELECT lower(hex(hash)) FROM code"))
    #expect(try Set(codes.flatMap { try fixture.keyedHashes(of: $0) }) == kept)
    // Its life, by the clock.
    let (early, late) = (try fixture.code(), try fixture.code())
    fixture.clock.advance(by: 59)
    #expect(try fixture.redeem(early).status == 200)
    fixture.clock.advance(by: 1)
    #expect(try fixture.redeem(late).error == "invalid_grant")
  }

  @Test("AZ-34 HEAD makes no code, and other methods are not allowed")
  func methods() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    let head = try browser.send("HEAD", Asked().target)
    #expect(head.status == 200)
    #expect(head.first("Location") == nil)
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "FOO"] {
      let answer = try browser.send(method, Asked().target)
      #expect(answer.status == 405)
      #expect(answer.first("Location") == nil)
      #expect(answer.first("Allow") == "GET, HEAD, POST")
    }
  }
}

/// A page of the server's own that sends nobody anywhere.
func expectPage(_ answer: RawResponse, _ place: SourceLocation = #_sourceLocation) throws {
  #expect(answer.status == 400, sourceLocation: place)
  #expect(answer.first("Location") == nil, sourceLocation: place)
  #expect(answer.mediaType == "text/html", sourceLocation: place)
  #expect(answer.text.contains("role=\"alert\""), sourceLocation: place)
}
