import Basics
import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing

/// GET and DELETE /{db}/_session, protected routes, and how sessions end.
@Suite struct SessionLifeTests {
  private let invalidSession = "401 - " + refusal("Unauthorized", "Session Invalid")
  private let nobody =
    #"200 - {"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{},"name":null}}"#

  @Test func readingTellsWhoIsSignedIn() throws {
    let lab = try LabFixture()
    let id = try lab.signIn()
    #expect(try lab.send("GET", "/mfs/_session", [cookie(id)]).row == "200 - \(SessionCreateTests.alice)")
    #expect(try lab.send("GET", "/mfs/_session", [LabFixture.basic]).row == "200 - \(SessionCreateTests.alice)")
    // No cookie and a bad one are the same here: 200 and nobody.
    #expect(try lab.send("GET").row == nobody)
    #expect(try lab.send("GET", "/mfs/_session", [cookie("0123")]).row == nobody)
    #expect(try lab.send("GET", "/mfs/_session", ["Authorization: Bearer x"]).row == nobody)
    // A bad Basic fails, even beside a good cookie.
    #expect(
      try lab.send("GET", "/mfs/_session", [LabFixture.wrongBasic, cookie(id)]).row
        == "401 \(LabFixture.challenge) " + refusal("Unauthorized", "Invalid login"))
    let head = try lab.send("HEAD", "/mfs/_session", [cookie(id)])
    #expect(head.status == 200 && head.first("Content-Type") == nil)
  }

  @Test func deletingEndsOneSession() throws {
    let lab = try LabFixture()
    let (first, second) = (try lab.signIn(), try lab.signIn())
    let response = try lab.send("DELETE", "/mfs/_session", [cookie(first)])
    #expect(response.row == "200 - ")
    #expect(response.first("Set-Cookie") == "SyncGatewaySession=; Expires=Fri, 04 Sep 2026 18:00:00 GMT")
    #expect(response.first("Content-Length") == "0")
    #expect(try lab.send("DELETE", "/mfs/_session", [cookie(first)]).row == invalidSession)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(second)]).status == 200)
  }

  @Test func deletingWithoutACookie() throws {
    let lab = try LabFixture()
    #expect(
      try lab.send("DELETE").row == "401 \(LabFixture.challenge) " + refusal("Unauthorized", "Login required"))
    #expect(
      try lab.send("DELETE", "/mfs/_session", ["Authorization: Bearer x"]).row
        == "401 \(LabFixture.challenge) " + refusal("Unauthorized", "Invalid login"))
    #expect(
      try lab.send("DELETE", "/mfs/_session", [LabFixture.basic]).row == "404 - " + refusal("not_found", "no session"))
    #expect(
      try lab.send("DELETE", "/mfs/_session", [LabFixture.basic, "Origin: https://a.example"]).row == "400 - "
        + refusal("Bad Request", "No CORS"))
    let open = try LabFixture { $0.options.guest = true }
    #expect(try open.send("DELETE").row == "404 - " + refusal("not_found", "no session"))
  }

  @Test func challengesCanBeTurnedOff() throws {
    let lab = try LabFixture { $0.options.wwwAuthenticate = false }
    #expect(try lab.send("DELETE").row == "401 - " + refusal("Unauthorized", "Login required"))
    #expect(
      try lab.send("POST", "/mfs/_session", [LabFixture.wrongBasic]).row == "401 - "
        + refusal("Unauthorized", "Invalid login"))
  }

  @Test func protectedRoutesShowWhetherASessionLives() throws {
    let lab = try LabFixture()
    let id = try lab.signIn()
    let required = "401 \(LabFixture.challenge) " + refusal("Unauthorized", "Login required")
    for path in ["/mfs/", "/mfs/doc", "/mfs/_blipsync?client=cbl2"] {
      #expect(try lab.send("GET", path).row == required)
      #expect(try lab.send("GET", path, [cookie("f00")]).row == invalidSession)
    }
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).row == #"200 - {"_id":"doc"}"#)
    #expect(try lab.send("GET", "/mfs/none", [cookie(id)]).row == "404 - " + refusal("not_found", "missing"))
    #expect(try lab.send("GET", "/mfs/", [cookie(id)]).text.contains(#""db_name":"mfs""#))
    #expect(
      try lab.send("GET", "/mfs/_blipsync", [cookie(id)]).row == "426 - "
        + refusal("Upgrade Required", "Can't upgrade this request to websocket connection"))
    let open = try LabFixture { $0.options.guest = true }
    #expect(try open.send("GET", "/mfs/doc").status == 200)
  }

  @Test func aSessionExpires() throws {
    let lab = try LabFixture { $0.options.sessionTTL = 100 }
    let id = try lab.signIn()
    #expect(lab.gateway.sessionCount == 1)
    lab.lab.clock.advance(by: 100)
    #expect(lab.gateway.sessionCount == 0)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).row == invalidSession)
    #expect(try lab.send("GET", "/mfs/_session", [cookie(id)]).row == nobody)
    lab.gateway.expireSessions()
    let other = try lab.signIn()
    lab.gateway.expireSessions()
    #expect(try lab.send("GET", "/mfs/doc", [cookie(other)]).row == invalidSession)
  }

  @Test func useExtendsASessionAfterATenth() throws {
    let lab = try LabFixture { $0.options.sessionTTL = 100 }
    let id = try lab.signIn()
    // A tenth exactly is not more than a tenth.
    lab.lab.clock.advance(by: 10)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).first("Set-Cookie") == nil)
    lab.lab.clock.advance(by: 1)
    #expect(
      try lab.send("GET", "/mfs/_session", [cookie(id)]).first("Set-Cookie")
        == "SyncGatewaySession=\(id); Path=/mfs; Expires=Fri, 04 Sep 2026 18:01:51 GMT")
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).first("Set-Cookie") == nil)
    // So it outlives its first expiry.
    lab.lab.clock.advance(by: 99)
    let deletion = try lab.send("DELETE", "/mfs/_session", [cookie(id)])
    #expect(
      deletion.all("Set-Cookie") == [
        "SyncGatewaySession=\(id); Path=/mfs; Expires=Fri, 04 Sep 2026 18:03:30 GMT",
        "SyncGatewaySession=; Expires=Fri, 04 Sep 2026 18:01:50 GMT",
      ])
  }

  @Test func anotherPasswordEndsTheUsersSessions() throws {
    let lab = try LabFixture()
    try lab.gateway.addUser("bob", password: SecureBytes(publicText: "bob"))
    let id = try lab.signIn()
    let bob = try #require(try lab.send("POST", body: #"{"name":"bob","password":"bob"}"#).sessionID)
    try lab.gateway.changePassword(of: "alice", to: SecureBytes(publicText: "new"))
    #expect(
      try lab.send("GET", "/mfs/doc", [cookie(id)]).row == "401 - "
        + refusal("Unauthorized", "Session no longer valid for user"))
    #expect(try lab.send("GET", "/mfs/_session", [cookie(id)]).row == nobody)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(bob)]).status == 200)
    // The old password, though known to have been right, is wrong now.
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.basic]).status == 401)
    #expect(try lab.send("POST", body: #"{"name":"alice","password":"new"}"#).status == 200)
    #expect(throws: Failure(.notFound, "")) {
      try lab.gateway.changePassword(of: "nobody", to: SecureBytes(publicText: "x"))
    }
  }

  @Test func cookiesAreReadAsBrowsersWriteThem() throws {
    let lab = try LabFixture()
    let id = try lab.signIn()
    for field in [
      "Cookie: a=b; SyncGatewaySession=\(id)", "Cookie: SyncGatewaySession=\"\(id)\"",
      "Cookie:  SyncGatewaySession=\(id) ;x",
      "Cookie: a=\r\nCookie: SyncGatewaySession=\(id); SyncGatewaySession=0",
    ] {
      #expect(try lab.send("GET", "/mfs/doc", [field]).status == 200, "\(field)")
    }
    // The first of a name counts, and names have a case.
    #expect(
      try lab.send("GET", "/mfs/doc", ["Cookie: SyncGatewaySession=0; SyncGatewaySession=\(id)"]).row == invalidSession)
    #expect(try lab.send("GET", "/mfs/doc", ["Cookie: syncgatewaysession=\(id)"]).status == 401)
  }

  @Test(arguments: [
    ("GET", "/mfs/_unknown"), ("GET", "/_all_dbs"), ("GET", "/mfs/a/b/c"), ("POST", "/nothing/_here"), ("GET", "//"),
    ("GET", "/mfs//_session"),
  ])
  func unknownPathsAre404(method: String, path: String) throws {
    let lab = try LabFixture()
    #expect(try lab.send(method, path).row == "404 - " + refusal("not_found", "unknown URL"))
  }

  @Test func methodsAndSlashesAreChecked() throws {
    let lab = try LabFixture()
    let wrong = try lab.send("PUT", "/mfs/_session")
    #expect(wrong.row == "405 - " + refusal("Method Not Allowed", ""))
    #expect(wrong.first("Allow") == "GET, HEAD, POST, DELETE")
    #expect(try lab.send("OPTIONS", "/mfs/_session").status == 204)
    let moved = try lab.send("GET", "/mfs?x=1")
    #expect(moved.status == 301 && moved.first("Location") == "/mfs/?x=1")
    #expect(try lab.send("POST", "/mfs/_session/").first("Location") == "/mfs/_session")
    #expect(try lab.send("GET", "/").text.contains(#""couchdb":"Welcome""#))
    #expect(try lab.send("GET", "/_ping").text == "OK")
    #expect(
      try lab.send("GET", "/mfs/_oidc").row == "400 - "
        + refusal("Bad Request", "OpenID Connect not configured for database mfs"))
  }

  @Test func userNamesAreChecked() throws {
    let lab = try LabFixture()
    for name in ["", "a:b", "a/b", "a,b", "a`b", "a\nb", String(repeating: "a", count: 241)] {
      #expect(throws: Failure(.usage, "")) { try lab.gateway.addUser(name, password: SecureBytes(publicText: "x")) }
    }
    #expect(lab.gateway.users == ["alice"])
  }

  @Test func channelsAreListed() throws {
    let lab = try LabFixture()
    try lab.gateway.addUser("bob", password: SecureBytes(publicText: "bob"), channels: ["work", "alpha"])
    let response = try lab.send("POST", body: #"{"name":"bob","password":"bob"}"#)
    #expect(response.text.contains(#""channels":{"!":1,"alpha":1,"work":1}"#))
  }
}
