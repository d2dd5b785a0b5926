import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

@Suite("/authorize: requests that are refused")
struct AuthorizeRefusalTests {
  @Test(
    "AZ-02 an unknown client gets a page and no redirect", arguments: ["nobody", "APP", "app ", "off", "app\u{0301}"])
  func unknownClient(_ id: String) throws {
    let fixture = try BackendFixture()
    try expectPage(try fixture.send("GET", Asked().with("client_id", id).target))
    let event = try #require(fixture.events.named("authorize.refused").first)
    #expect(["invalid_client", "invalid_request"].contains(event.fields["reason"]))
    try expectPage(try fixture.send("GET", Asked().with("client_id", nil).target))
  }

  @Test("AZ-03 no redirect_uri is refused where two are registered")
  func noRedirect() throws {
    let fixture = try BackendFixture()
    try expectPage(try fixture.send("GET", Asked().with("redirect_uri", nil).target))
    #expect(fixture.events.named("authorize.refused").first?.fields["reason"] == "invalid_request")
  }

  @Test(
    "what is refused names the redirect URI that was asked for, without what may be a secret",
    arguments: [
      ("https://app.example/other?token=CANARY#CANARY", "https://app.example/other"),
      ("https://CANARY:CANARY@evil.example/cb?x", "https://evil.example/cb"),
      ("https://a@CANARY@evil.example", "https://evil.example"), ("com.other:/cb?CANARY", "com.other:/cb"),
      ("//CANARY@evil.example/cb", "evil.example/cb"), ("https://evil.example/a@b", "https://evil.example/a@b"),
      ("https://evil.example/\u{1b}[0m\n" + String(repeating: "x", count: 2_000), nil), ("#CANARY", ""),
    ])
  func refusedAddress(_ uri: String, _ shown: String?) throws {
    let fixture = try BackendFixture()
    try expectPage(try fixture.send("GET", Asked(redirect: uri).target))
    let field = try #require(fixture.events.named("authorize.refused").first?.fields["redirect"])
    if let shown { #expect(field == shown) }
    #expect(!field.contains("CANARY") && field.utf8.count <= 230 && !field.contains("\u{1b}") && !field.contains("\n"))
    try expectPage(try fixture.send("GET", Asked().with("redirect_uri", nil).target))
    #expect(fixture.events.named("authorize.refused").last?.fields["redirect"] == nil)
  }

  @Test(
    "AZ-06 an address that confuses parsers is refused, and nothing gets into the header",
    arguments: [
      "https://app.example@evil.example/cb", "https://evil.example\\@app.example/cb",
      "https://app.example/cb\r\nX-Evil: 1",
      "https://app.example/cb%0d%0aX-Evil:%201", "https://app.example/cb\n", "https://app.example/cb\u{0}",
      "https://app.example/cb ", " https://app.example/cb", "https://app.example:443/cb", "https://APP.example/cb",
      "https://app.example/%63b", "https://app.example/./cb", "https://app.example//cb", "//app.example/cb", "/cb",
      "https://app.example.evil.example/cb", "https://app.examp\u{2113}e/cb", "https://app.example/cb;x",
      "javascript:alert(1)",
      "https://app.example/cbx", "https://app.example/cb/../evil", "data:text/html,x",
    ])
  func confusingAddress(_ uri: String) throws {
    let fixture = try BackendFixture(), answer = try fixture.send("GET", Asked(redirect: uri).target)
    try expectPage(answer)
    #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("x-evil") })
  }

  @Test("AZ-07 a fragment is refused")
  func fragment() throws {
    let fixture = try BackendFixture()
    for uri in ["https://app.example/cb#x", "https://app.example/cb#"] {
      try expectPage(try fixture.send("GET", Asked(redirect: uri).target))
    }
  }

  /// What is told the app; there is never a code or a token in it.
  private func refusal(_ fixture: BackendFixture, _ asked: Asked, _ browser: Browser? = nil) throws -> String {
    let answer = try (browser ?? Browser(fixture)).get(asked.target)
    #expect(answer.isRedirect)
    let there = try #require(answer.destination)
    #expect(there.text.hasPrefix(asked["redirect_uri"] + "?"))
    #expect(there["state"] == Asked.state)
    #expect(there["iss"] == fixture.issuer)
    for name in ["code", "access_token", "id_token"] { #expect(there[name] == nil) }
    #expect(!there.text.contains("#"))
    return there["error"] ?? "none"
  }

  @Test(
    "AZ-11 other response types are not supported",
    arguments: [
      "token", "id_token", "code token", "code id_token", "none", "CODE", "code ",
    ])
  func responseType(_ type: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    #expect(try refusal(fixture, Asked().with("response_type", type), browser) == "unsupported_response_type")
  }

  @Test("AZ-12 no response_type is an invalid request")
  func noResponseType() throws {
    #expect(try refusal(try BackendFixture(), Asked().with("response_type", nil)) == "invalid_request")
  }

  @Test("AZ-13 no code_challenge is an invalid request")
  func noChallenge() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    #expect(try refusal(fixture, Asked().with("code_challenge", nil), browser) == "invalid_request")
    #expect(
      try refusal(fixture, Asked().with("code_challenge", nil).with("code_challenge_method", nil), browser)
        == "invalid_request")
  }

  @Test(
    "the method plain is refused, named or by its being the default (RFC 7636 4.3, 4.4.1)",
    arguments: [
      "plain", nil, "s256", "S512", "S256 plain",
    ])
  func plain(_ method: String?) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    #expect(try refusal(fixture, Asked().with("code_challenge_method", method), browser) == "invalid_request")
  }

  /// All but the last character of a challenge; `N` as the last one would have bits that no 32 bytes have.
  static let most = String(Asked.challenge.dropLast())

  @Test(
    "AZ-15 a challenge that is no SHA-256 in base64url is refused",
    arguments: [
      most, most + "MA", most + "=", most + "+", most + "/", most + "é", most + " ", most + "M=", most + "\u{0}",
      most + "N", " " + most,
    ])
  func badChallenge(_ challenge: String) throws {
    #expect(try refusal(try BackendFixture(), Asked().with("code_challenge", challenge)) == "invalid_request")
  }

  @Test(
    "AZ-16 a scope that is not the client's is refused",
    arguments: [
      "openid admin", "admin", "OPENID", "openid \"profile\"", "openid\tprofile", "openid é",
    ])
  func scope(_ scope: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    #expect(try refusal(fixture, Asked(scope: scope), browser) == "invalid_scope")
  }

  @Test("AZ-29 request objects are not read")
  func requestObject() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    #expect(try refusal(fixture, Asked().with("request", "e30.e30."), browser) == "request_not_supported")
    #expect(
      try refusal(fixture, Asked().with("request_uri", "https://app.example/r"), browser)
        == "request_uri_not_supported")
  }

  @Test(
    "a parameter that stands twice is refused (RFC 6749 3.1)",
    arguments: [
      "response_type", "scope", "code_challenge", "code_challenge_method", "nonce", "prompt", "foo", "\"\\é",
    ])
  func twice(_ name: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    let value = Asked()[name]
    var asked = Asked()
    if value.isEmpty { asked = asked.adding(name, "x") }
    #expect(try refusal(fixture, asked.adding(name, value), browser) == "invalid_request")
    // RFC 6749 4.1.2.1: not every character may stand in error_description.
    let text = try browser.get(asked.adding(name, value).target).destination?["error_description"] ?? ""
    #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7E && $0 != 0x22 && $0 != 0x5C }, "\(text)")
  }

  @Test(
    "a client_id or redirect_uri that stands twice is told nobody but the person",
    arguments: [
      ("client_id", "other"), ("redirect_uri", "https://other.example/cb"), ("client_id", "app"),
      ("redirect_uri", "https://app.example/cb"),
    ])
  func destinationTwice(_ name: String, _ value: String) throws {
    let fixture = try BackendFixture()
    try expectPage(try fixture.send("GET", Asked().adding(name, value).target))
  }

  @Test("a state comes back whole, or a person is told that it is too long", arguments: ["s", "\u{1208}"])
  func longState(_ letter: String) throws {
    let fixture = try BackendFixture()
    let most = String(repeating: letter, count: 2_048 / letter.utf8.count)
    for long in [most + letter, String(repeating: letter, count: 6_000 / letter.utf8.count)] {
      try expectPage(try fixture.send("GET", Asked().with("state", long).target))
    }
    // More than an answer's header holds: a form may have it.
    let items = Asked().with("state", String(repeating: "s", count: 60_000)).items
    try expectPage(try fixture.post("/authorize", items))
    let asked = Asked().with("state", most).with("prompt", "none")
    #expect(try fixture.send("GET", asked.target).destination?["state"] == most)
    #expect(try fixture.post("/authorize", asked.items).destination?["state"] == most)
  }

  @Test("a client without that grant, and one bound to devices without device_id, are refused")
  func clientRules() throws {
    let fixture = try BackendFixture()
    #expect(try refusal(fixture, Asked("bound")) == "invalid_request")
    for device in ["a b", "", String(repeating: "d", count: 129), "é", "../x"] {
      #expect(try refusal(fixture, Asked("bound").with("device_id", device)) == "invalid_request")
    }
    var client = try #require(try fixture.store.client("app"))
    client.grants = ["refresh_token"]
    try fixture.store.put(client)
    #expect(try refusal(fixture, Asked()) == "unauthorized_client")
  }

  @Test("other ways of answering than by the query are refused", arguments: ["fragment", "form_post", "web_message"])
  func responseMode(_ mode: String) throws {
    #expect(try refusal(try BackendFixture(), Asked().with("response_mode", mode)) == "invalid_request")
    #expect(try Browser(try BackendFixture()).get(Asked().with("response_mode", "query").target).status == 200)
  }

  @Test(
    "a query that cannot be decoded is refused and leads nowhere",
    arguments: ["%zz", "%", "%4", "%ff", "%c3%28", "a=%00"])
  func undecodable(_ text: String) throws {
    let answer = try BackendFixture().send("GET", Asked(redirect: "https://nobody.example/").target + "&" + text)
    #expect((400..<500).contains(answer.status))
    #expect(answer.first("Location") == nil)
  }
}
