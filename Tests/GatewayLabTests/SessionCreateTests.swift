import Basics
import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing

/// POST /{db}/_session, to the byte.
@Suite struct SessionCreateTests {
  static let alice =
    #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":"alice"}}"#
  static let guest =
    #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":null}}"#

  @Test func basicWithAnEmptyBodySignsIn() throws {
    let lab = try LabFixture()
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic, "Content-Length: 0"])
    #expect(response.row == "200 - \(SessionCreateTests.alice)")
    #expect(response.headers.map(\.name) == ["Date", "Server", "Set-Cookie", "Content-Type", "Content-Length"])
    #expect(response.first("Server") == "Couchbase Sync Gateway")
    #expect(response.first("Content-Type") == "application/json")
    #expect(response.first("Content-Length") == "\(SessionCreateTests.alice.utf8.count)")
    let id = try #require(response.sessionID)
    #expect(id.utf8.count == 40 && id.allSatisfy { "0123456789abcdef".contains($0) })
    #expect(
      response.first("Set-Cookie") == "SyncGatewaySession=\(id); Path=/mfs; Expires=Sat, 05 Sep 2026 18:00:00 GMT")
    #expect(try lab.signIn() != id)
  }

  @Test func nameAndPasswordInTheBodySignIn() throws {
    let lab = try LabFixture()
    for body in [
      LabFixture.login, #" { "PASSWORD" : "correct horse" , "Name":"alice"} trailing"#,
      #"{"name":"\u0061lice","password":"wrong","password":"correct\u0020horse"}"#,
    ] {
      let response = try lab.send("POST", body: body)
      #expect(response.row == "200 - \(SessionCreateTests.alice)", "\(body)")
      #expect(response.sessionID != nil)
    }
  }

  @Test func escapedNamesAreDecoded() throws {
    let lab = try LabFixture()
    try lab.gateway.addUser("jörg \u{1F600} <x>", password: SecureBytes(publicText: "a\"\\\u{8}\n"))
    let response = try lab.send("POST", body: #"{"name":"j\u00f6rg \ud83D\ude00 <x>","password":"a\"\\\b\n"}"#)
    #expect(response.status == 200)
    #expect(response.text.hasSuffix(#""name":"jörg 😀 \u003cx\u003e"}}"#))
  }

  @Test func wrongCredentialsAreRefused() throws {
    let lab = try LabFixture { $0.options.disabledUsers = ["bob"] }
    try lab.gateway.addUser("bob", password: SecureBytes(publicText: "bob"))
    let invalid = "401 - " + refusal("Unauthorized", "Invalid login")
    let challenged = "401 \(LabFixture.challenge) " + refusal("Unauthorized", "Invalid login")
    // A wrong password by Basic, then an unknown user, then a disabled one with the right password.
    for field in [LabFixture.wrongBasic, "Authorization: Basic bm9ib2R5Ong=", "Authorization: Basic Ym9iOmJvYg=="] {
      #expect(try lab.send("POST", "/mfs/_session", [field]).row == challenged)
    }
    for body in [
      #"{"name":"alice","password":"wrong"}"#, #"{"name":"nobody","password":"x"}"#,
      #"{"name":"bob","password":"bob"}"#,
      #"{"name":"alice"}"#, #"{"name":"alice","password":null}"#, #"{"name":"alice","password":""}"#, "{}", "null",
    ] {
      #expect(try lab.send("POST", body: body).row == invalid, "\(body)")
    }
    // A wrong password by Basic is not made good by a right body.
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.wrongBasic], body: LabFixture.login).row == challenged)
    #expect(lab.gateway.sessionCount == 0)
  }

  @Test(arguments: [
    ("", "Bad JSON: EOF"), (" \n", "Bad JSON: EOF"), ("{", "Bad JSON: unexpected EOF"),
    (#"{"name":"al"#, "Bad JSON: unexpected EOF"), (#"{"name":"a\"#, "Bad JSON: unexpected EOF"),
    ("x", "Bad JSON: invalid character 'x' looking for beginning of value"),
    ("{x", "Bad JSON: invalid character 'x' looking for beginning of object key string"),
    (#"{"name" 1}"#, "Bad JSON: invalid character '1' after object key"),
    (#"{"name":"a" 1}"#, "Bad JSON: invalid character '1' after object key:value pair"),
    (#"{"name":"a",}"#, "Bad JSON: invalid character '}' looking for beginning of object key string"),
    ("{\"name\":\"a\nb\"}", #"Bad JSON: invalid character '\\n' in string literal"#),
    (#"{"name":"\x"}"#, "Bad JSON: invalid character 'x' in string escape code"),
    (#"{"name":"\u12g4"}"#, #"Bad JSON: invalid character 'g' in \\u hexadecimal character escape"#),
    (#"{"name":nul}"#, "Bad JSON: invalid character '}' in literal null (expecting 'l')"),
    (#"{"name":[1 2]}"#, "Bad JSON: invalid character '2' after array element"),
    (#"{"name":-}"#, "Bad JSON: invalid character '}' in numeric literal"),
    (#"{"name":1.}"#, "Bad JSON: invalid character '}' after decimal point in numeric literal"),
    (#"{"name":1e+}"#, "Bad JSON: invalid character '}' in exponent of numeric literal"),
    (#"{"name":1}"#, "Bad JSON: json: cannot unmarshal number into Go struct field .name of type string"),
    (#"{"password":true}"#, "Bad JSON: json: cannot unmarshal bool into Go struct field .password of type string"),
    (
      "[]",
      #"Bad JSON: json: cannot unmarshal array into Go value of type struct { Name string \"json:\\\"name\\\"\"; Password string \"json:\\\"password\\\"\" }"#
    ),
    (
      #"{"name":"alice","pass":{"a":[1,{}]}}"#,
      #"JSON Unknown Field: json: unknown field \"pass\": unrecognized JSON field"#
    ),
  ])
  func badBodiesAreExplained(body: String, reason: String) throws {
    let lab = try LabFixture()
    #expect(try lab.send("POST", body: body).row == "400 - " + refusal("Bad Request", reason))
    // But nobody cares about the body once the header has named a user.
    #expect(
      try lab.send("POST", "/mfs/_session", [LabFixture.basic], body: body).row == "200 - \(SessionCreateTests.alice)")
  }

  @Test func deepAndBinaryBodiesAreRefused() throws {
    let lab = try LabFixture()
    let deep = #"{"name":"# + String(repeating: "[", count: 100_000)
    #expect(try lab.send("POST", body: deep).row == "400 - " + refusal("Bad Request", "Bad JSON: exceeded max depth"))
    let response = try lab.send("POST", body: "\0")
    #expect(
      response.row == "400 - "
        + refusal("Bad Request", #"Bad JSON: invalid character '\\x00' looking for beginning of value"#))
  }

  @Test func otherContentTypesAreRefused() throws {
    let lab = try LabFixture()
    let response = try lab.send("POST", "/mfs/_session", ["Content-Type: text/plain"], body: LabFixture.login)
    #expect(
      response.row == "400 - "
        + refusal("Bad Request", "Bad JSON: 415 Invalid content type text/plain - expected application/json"))
    for type in ["application/json", "application/json; charset=utf-8"] {
      #expect(try lab.send("POST", "/mfs/_session", ["Content-Type: \(type)"], body: LabFixture.login).status == 200)
    }
    let packed = try lab.send("POST", "/mfs/_session", ["Content-Encoding: br"], body: LabFixture.login)
    #expect(packed.row == "415 - " + refusal("Unsupported Media Type", "Unsupported Content-Encoding; use gzip"))
  }

  @Test func aBearerIsIgnored() throws {
    let lab = try LabFixture()
    let response = try lab.send("POST", "/mfs/_session", ["Authorization: Bearer abc.def.ghi"])
    #expect(response.row == "400 - " + refusal("Bad Request", "Bad JSON: EOF"))
  }

  @Test func whatIsNotBasicCountsAsAbsent() throws {
    let lab = try LabFixture()
    for field in [
      "Basic", "Basic ", "Basic !!!", "Basic OnNlY3JldA==", "Basic YWxpY2U=", "basic YWxpY2U6Y29ycmVjdCBob3JzZQ==",
      "Digest x",
    ] {
      let response = try lab.send("POST", "/mfs/_session", ["Authorization: \(field)"])
      #expect(response.row == "400 - " + refusal("Bad Request", "Bad JSON: EOF"), "\(field)")
    }
  }

  @Test func withoutPasswordsLoginIsRequired() throws {
    let lab = try LabFixture { $0.options.passwordAuth = false }
    let required = "401 - " + refusal("Unauthorized", "Login required")
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.basic]).row == required)
    #expect(try lab.send("POST", body: LabFixture.login).row == required)
  }

  @Test func anUnknownDatabaseIs401() throws {
    let lab = try LabFixture()
    #expect(try lab.send("POST", "/other/_session").row == "401 - " + refusal("Unauthorized", "Login required"))
    for field in [LabFixture.basic, "Authorization: Bearer x", cookie("x")] {
      #expect(
        try lab.send("POST", "/other/_session", [field]).row == "401 - " + refusal("Unauthorized", "Invalid login"))
    }
    let old = try LabFixture { $0.options.unknownDatabase = .notFound }
    #expect(
      try old.send("POST", "/other/_session").row == "404 - " + refusal("not_found", #"no such database \"other\""#))
  }

  @Test func anOriginNeedsPermission() throws {
    let refused = "400 - " + refusal("Bad Request", "No CORS")
    let lab = try LabFixture()
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.basic, "Origin: https://a.example"]).row == refused)
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.basic, "Origin: null"]).row == refused)
    let permissive = try LabFixture { $0.options.loginOrigins = ["https://a.example"] }
    #expect(
      try permissive.send("POST", "/mfs/_session", [LabFixture.basic, "Origin: https://a.example"]).status == 200)
    #expect(
      try permissive.send("POST", "/mfs/_session", [LabFixture.basic, "Origin: https://b.example"]).row == refused)
  }

  @Test func anEnabledGuestGetsASessionForAnEmptyObject() throws {
    let lab = try LabFixture { $0.options.guest = true }
    // Even with good credentials in the header.
    for headers in [[], [LabFixture.basic]] {
      let response = try lab.send("POST", "/mfs/_session", headers, body: "{}")
      #expect(response.row == "200 - \(SessionCreateTests.guest)")
      let id = try #require(response.sessionID)
      #expect(try lab.send("GET", "/mfs/_session", [cookie(id)]).row == "200 - \(SessionCreateTests.guest)")
    }
    #expect(try lab.send("POST").row == "400 - " + refusal("Bad Request", "Bad JSON: EOF"))
    #expect(try lab.send("POST", body: #"{"password":"x"}"#).row == "401 - " + refusal("Unauthorized", "Invalid login"))
  }

  @Test func aDisabledUserWithALiveCookieGetsNoNewSession() throws {
    let lab = try LabFixture()
    let id = try lab.signIn()
    lab.gateway.setDisabled(true, user: "alice")
    #expect(
      try lab.send("POST", "/mfs/_session", [cookie(id)]).row == "400 - " + refusal("Bad Request", "User is disabled"))
    // The old session is alive all the same.
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).status == 200)
    lab.gateway.setDisabled(false, user: "alice")
    #expect(try lab.send("POST", "/mfs/_session", [cookie(id)]).status == 200)
  }

  @Test func aOneTimeSessionComesInTheBodyAndWorksOnce() throws {
    let lab = try LabFixture()
    let response = try lab.send("POST", "/mfs/_session?one_time=true", [LabFixture.basic])
    #expect(response.first("Set-Cookie") == nil)
    let prefix = #"{"authentication_handlers":["default","cookie"],"ok":true,"one_time_session_id":""#
    #expect(response.text.hasPrefix(prefix))
    #expect(response.text.hasSuffix(#"","userCtx":{"channels":{"!":1},"name":"alice"}}"#))
    let id = String(response.text.dropFirst(prefix.count).prefix(40))
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).status == 200)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).row == "401 - " + refusal("Unauthorized", "Session Invalid"))
  }

  @Test(arguments: [
    (GatewayOptions.ExpiresFormat.seconds, "2026-09-05T18:00:00Z"), (.milliseconds, "2026-09-05T18:00:00.000Z"),
    (.offset, "2026-09-05T20:00:00.000000000+02:00"),
  ])
  func theTripleIsAnOption(format: GatewayOptions.ExpiresFormat, expires: String) throws {
    let lab = try LabFixture {
      $0.options.sessionBody = .triple
      $0.options.expiresFormat = format
      $0.options.cookieName = "Other"
    }
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic])
    #expect(response.first("Set-Cookie") == nil)
    let id = String(response.text.dropFirst(#"{"session_id":""#.count).prefix(40))
    #expect(response.text == #"{"session_id":"\#(id)","expires":"\#(expires)","cookie_name":"Other"}"#)
    #expect(Timestamp(rfc3339: expires) == LabFixture.start.advanced(by: 86_400))
    #expect(try lab.send("GET", "/mfs/doc", ["Cookie: Other=\(id)"]).status == 200)
  }

  @Test func cookieOptionsShow() throws {
    let lab = try LabFixture {
      $0.options.cookieName = "mfs_session"
      $0.options.cookieHTTPOnly = true
      $0.options.cookieSecure = true
      $0.options.cookieSameSite = .strict
      $0.options.sessionTTL = 60
      $0.options.server = "Couchbase Sync Gateway/4.0.1 CE"
    }
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic])
    let id = try #require(response.sessionID)
    #expect(
      response.first("Set-Cookie")
        == "mfs_session=\(id); Path=/mfs; Expires=Fri, 04 Sep 2026 18:01:00 GMT; HttpOnly; Secure; SameSite=Strict")
    #expect(response.first("Server") == "Couchbase Sync Gateway/4.0.1 CE")
    // The extension of a session leaves the attributes out, as the real gateway does.
    lab.lab.clock.advance(by: 7)
    #expect(
      try lab.send("GET", "/mfs/doc", ["Cookie: mfs_session=\(id)"]).first("Set-Cookie")
        == "mfs_session=\(id); Path=/mfs; Expires=Fri, 04 Sep 2026 18:01:07 GMT")
  }

  @Test func aClientThatWantsNoJSONIsTold() throws {
    let lab = try LabFixture()
    let response = try lab.send("GET", "/mfs/_session", ["Accept: text/html"])
    #expect(response.row == "406 - " + refusal("Not Acceptable", "only application/json available"))
    #expect(try lab.send("GET", "/mfs/_session", ["Accept: text/html, */*"]).status == 200)
  }
}
