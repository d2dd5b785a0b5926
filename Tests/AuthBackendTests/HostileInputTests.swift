@testable import AuthBackend
import Basics
import Foundation
import HTTPTestSupport
import TestSupport
import Testing

/// Requests that are nearly right, changed at random from a seed that is named where one fails.
@Suite("Hostile input")
struct HostileInputTests {
  static let count = 2_000

  private struct Request {
    var method: String
    var path: String
    var query: [(String, String)]
    var headers: [String]
    var form: [(String, String)]
    // Set where the bytes are no longer those of the form.
    var body: [UInt8]?
    var rawQuery: String?
  }

  /// What a test starts from: a request of each kind, with what is good now.
  private func requests(_ fixture: BackendFixture, _ browser: Browser) throws -> [Request] {
    let tokens = try fixture.signIn(in: browser), code = try fixture.code(in: browser)
    let secret = try fixture.addResource()
    let bearer = ["Authorization: Bearer \(tokens.access)"]
    let cookies = ["Cookie: " + browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
    let form = ["Content-Type: application/x-www-form-urlencoded"]
    let page = try Browser(fixture).get(Asked().target), csrf = PageForm(page.text)?.hidden ?? []
    let typed = [("username", "alice"), ("password", "wrong"), ("action", "sign-in")]
    func post(_ path: String, _ items: [(String, String)], _ headers: [String] = []) -> Request {
      Request(method: "POST", path: path, query: [], headers: form + headers, form: items)
    }
    func get(_ path: String, _ query: [(String, String)] = [], _ headers: [String] = []) -> Request {
      Request(method: "GET", path: path, query: query, headers: headers, form: [])
    }
    return [
      get("/authorize", Asked().items, cookies), get("/authorize", Asked("loopback").items, cookies),
      get("/authorize", Asked("scheme").with("prompt", "none").with("max_age", "5").items, cookies),
      get("/authorize", Asked("query").with("id_token_hint", tokens.idToken).items, cookies),
      post("/authorize", Asked().items, cookies),
      Request(method: "POST", path: "/authorize", query: Asked().items, headers: form + cookies, form: csrf + typed),
      post(
        "/oauth/token",
        [
          ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Asked()["redirect_uri"]),
          ("client_id", "app"), ("code_verifier", Asked.verifier), ("device_id", "dev-1"),
        ]),
      post(
        "/oauth/token",
        [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "app"), ("scope", "openid")]),
      post(
        "/oauth/token", [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh)],
        ["Authorization: Basic YXBwOg=="]),
      post("/oauth/revoke", [("token", tokens.refresh), ("token_type_hint", "refresh_token"), ("client_id", "app")]),
      post("/oauth/introspect", [("token", tokens.access)], [BackendFixture.basic("orders", secret)]),
      get("/oauth/denials", [("after", "sess_1")], [BackendFixture.basic("orders", secret)]),
      post("/oauth/logout", [("all", "true")], bearer), get("/oauth/userinfo", [], bearer),
      post("/oauth/userinfo", [("access_token", tokens.access)], bearer),
      get(
        "/oauth/end_session",
        [
          ("id_token_hint", tokens.idToken), ("post_logout_redirect_uri", "https://app.example/bye"), ("state", "s"),
          ("client_id", "app"),
        ], cookies),
      get("/.well-known/openid-configuration"), get("/.well-known/oauth-authorization-server"),
      get("/.well-known/jwks.json"), get("/healthz"), get("/readyz"),
      get("/.well-known/apple-app-site-association"), get("/.well-known/assetlinks.json"),
      post("/oauth/device_authorization", [("client_id", "app"), ("scope", "openid"), ("device_id", "dev-1")]),
      post(
        "/oauth/token",
        [
          ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "x"), ("client_id", "app"),
        ]),
      post(
        "/oauth/token",
        [
          ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", tokens.idToken),
          ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"), ("nonce", "n-1"), ("client_id", "app"),
        ]),
      post("/oauth/attestation_challenge", [("client_id", "app")]),
      get("/device", [("user_code", "BCDF-GHJK")], cookies),
      post("/device", [("user_code", "BCDF-GHJK"), ("action", "next")], cookies),
      get("/devices", [], cookies), post("/devices", [("device", "dev-1"), ("action", "remove")], cookies),
      get("/password", [], cookies),
      post("/password", [("password", "x"), ("new-password", "y"), ("action", "change")], cookies),
    ]
  }

  private static let nasty = [
    "", " ", "\u{0}", "%", "%zz", "%00", "%0d%0aX-Evil: 1", "\r\nX-Evil: 1", "'", "\"", "<script>", "\\", "\u{202E}",
    "é", "e\u{301}",
    "\u{1F511}", "../../etc/passwd", "' OR '1'='1", "https://evil.example/cb", "//evil.example", "javascript:alert(1)",
    "{}", "null",
    "-1", "9223372036854775808", "1e999", "NaN", "true", "none", "plain", "token", "*", "a b", "openid openid", "\t",
    "&", "=", "#", "?",
    "https://app.example/cb#", "https://app.example@evil.example/cb", "mfr_", "mfc_", "mfb_", "..", ".",
    "eyJhbGciOiJub25lIn0.e30.",
  ]

  private func change(_ request: inout Request, _ random: inout SeededGenerator) {
    func nasty(_ random: inout SeededGenerator) -> String {
      let text = HostileInputTests.nasty.randomElement(using: &random) ?? ""
      return Int.random(in: 0..<20, using: &random) == 0
        ? String(repeating: text, count: Int.random(in: 1..<3_000, using: &random)) : text
    }
    func mutate(_ items: inout [(String, String)], _ random: inout SeededGenerator) {
      guard !items.isEmpty else { return items.append(("client_id", nasty(&random))) }
      let index = Int.random(in: 0..<items.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: items.remove(at: index)
      case 1: items.append(items[index])
      case 2: items.append((items[index].0, nasty(&random)))
      case 3: items[index].0 = nasty(&random)
      case 4: items[index].1 += nasty(&random)
      case 5: items[index].1 = nasty(&random) + items[index].1
      case 6:
        var bytes = Array(items[index].1.utf8)
        if !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 1...127, using: &random)
        }
        items[index].1 = String(decoding: bytes, as: UTF8.self)
      default: items[index].1 = nasty(&random)
      }
    }
    func flip(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        }
      }
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        request.method =
          ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "X"].randomElement(
            using: &random) ?? "X"
      case 1:
        request.path +=
          ["/", "//", "/..", "/%2e%2e", ";x", "%00", "%zz", "%2f", "é", "/.well-known"].randomElement(using: &random)
          ?? ""
      case 2, 3, 4: mutate(&request.query, &random)
      case 5, 6, 7: mutate(&request.form, &random)
      case 8:
        var bytes = Array(formText(request.form).utf8)
        flip(&bytes, &random)
        request.body = bytes
      case 9:
        // No blanks or line ends: those would make another request of it.
        var bytes = Array(formText(request.query).utf8)
        flip(&bytes, &random)
        request.rawQuery = String(decoding: bytes.filter { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }, as: UTF8.self)
      case 10:
        let name =
          [
            "Authorization", "Cookie", "Content-Type", "Origin", "Sec-Fetch-Site", "X-Forwarded-For", "Host", "Referer",
            "Accept",
          ].randomElement(using: &random) ?? "X"
        let value = nasty(&random).filter { !$0.isNewline && $0 != "\u{0}" }.prefix(4_000)
        request.headers.append("\(name): \(value)")
      default:
        guard !request.headers.isEmpty else { continue }
        let index = Int.random(in: 0..<request.headers.count, using: &random)
        var bytes = Array(request.headers[index].utf8)
        flip(&bytes, &random)
        request.headers[index] = String(decoding: bytes.filter { $0 != 10 && $0 != 13 && $0 != 0 }, as: UTF8.self)
      }
    }
  }

  @Test("2,000 changed requests: no failure, no answer left out, nobody is sent where nobody is registered")
  func mutations() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    let allowed = Registry.redirects.values.flatMap { $0 } + ["https://app.example/bye"]
    var random = SeededGenerator(4), made: [Request] = [], statuses: [Int: Int] = [:]
    for number in 0..<HostileInputTests.count {
      // What is good is used up by some of them.
      if number % 200 == 0 { made = try requests(fixture, Browser(fixture)) }
      if number == 0 { #expect(Endpoint.allCases.map(\.rawValue).filter { !made.map(\.path).contains($0) } == []) }
      var request = made[number % made.count]
      change(&request, &random)
      var target = request.path
      let query = request.rawQuery ?? formText(request.query)
      if !query.isEmpty { target += "?" + query }
      let body = request.body ?? Array(formText(request.form).utf8)
      let head = ["\(request.method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + request.headers
      let connection = try RawConnection(port: fixture.server.port)
      connection.send(
        (head + ["Content-Length: \(body.count)", "Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n")
      connection.send(body)
      let what = "number \(number): \(head.joined(separator: " | ").prefix(1_500))"
      guard let answer = connection.response(hasBody: request.method != "HEAD") else {
        Issue.record("no answer to \(what)")
        continue
      }
      statuses[answer.status, default: 0] += 1
      #expect((200..<500).contains(answer.status), "\(answer.status) to \(what)")
      #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("x-evil") }, "\(what)")
      if let location = answer.first("Location") {
        #expect(answer.status == 303, "\(what)")
        #expect(isAllowed(location, allowed), "\(location) for \(what)")
      }
    }
    #expect(fixture.events.named("server.failure").isEmpty)
    // They are near enough to what is right to get deep into it.
    for status in [200, 303, 400, 401, 405] { #expect((statuses[status] ?? 0) > 20, "\(statuses)") }
    #expect(try fixture.signIn().refresh.isEmpty == false, "it serves on")
  }

  private func isAllowed(_ location: String, _ allowed: [String]) -> Bool {
    allowed.contains { one in
      if location == one { return true }
      if location.hasPrefix(one + (one.contains("?") ? "&" : "?")) { return true }
      // A loopback address may have any port.
      let pattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):[0-9]+(\/cb)\?/
      return location.firstMatch(of: pattern).map { String($0.1) + String($0.2) == one } ?? false
    }
  }

  @Test(
    "header fields that are too long or too many are refused and leave the server whole",
    arguments: [
      ("Cookie", 33_000), ("Authorization", 33_000), ("X-Forwarded-For", 33_000), ("Cookie", 1_000_000),
      ("X", 1_000_000),
    ])
  func longHeader(_ name: String, _ size: Int) throws {
    let fixture = try BackendFixture()
    let connection = try RawConnection(port: fixture.server.port)
    connection.send("GET /authorize HTTP/1.1\r\nHost: x\r\n\(name): \(String(repeating: "x", count: size))\r\n\r\n")
    // Of what is far too long the answer may be lost when the server closes while there is much to read.
    let answer = connection.response()
    if size < 100_000 || answer != nil { #expect(answer?.status == 431) }
    _ = connection.rest()
    #expect(connection.isAtEnd)
    #expect(try fixture.send("GET", "/healthz").status == 200)
  }
}
