import Basics
import HTTPTestSupport
import Testing

@Suite("/oauth/revoke")
struct RevocationTests {
  @Test("RV-01 a refresh token takes its whole family with it")
  func family() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn(),
      second = try Tokens(fixture.refresh(first.refresh))
    let other = try fixture.signIn()
    #expect(try fixture.revoke(second.refresh).status == 200)
    #expect(try fixture.refresh(second.refresh).error == "invalid_grant")
    for token in [first.access, second.access] { #expect(try fixture.userInfo(token).status == 401) }
    #expect(try fixture.userInfo(other.access).status == 200)
    #expect(try fixture.refresh(other.refresh).status == 200)
    #expect(try fixture.store.family(id: first.sid)?.end == .revoked)
    #expect(fixture.events.alerts.isEmpty)
  }

  @Test("a spent refresh token revokes its family as well, without an alarm")
  func spent() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn(),
      second = try Tokens(fixture.refresh(first.refresh))
    #expect(try fixture.revoke(first.refresh).status == 200)
    #expect(try fixture.refresh(second.refresh).error == "invalid_grant")
    #expect(try fixture.store.family(id: first.sid)?.end == .revoked)
  }

  @Test("RV-03 another client's token is not revoked")
  func otherClient() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    for token in [tokens.refresh, tokens.access] {
      let answer = try fixture.revoke(token, client: "other")
      #expect([200, 400].contains(answer.status))
      if answer.status == 400 { #expect(["invalid_grant", "unauthorized_client"].contains(answer.error)) }
    }
    #expect(try fixture.userInfo(tokens.access).status == 200)
    #expect(try fixture.refresh(tokens.refresh).status == 200)
  }

  @Test(
    "RV-04 a wrong hint does not keep a token from being found",
    arguments: [
      "access_token", "refresh_token", "nonsense", "id_token",
    ])
  func hint(_ hint: String) throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(), other = try fixture.signIn()
    #expect(try fixture.revoke(tokens.refresh, hint: hint).status == 200)
    #expect(try fixture.refresh(tokens.refresh).error == "invalid_grant")
    #expect(try fixture.revoke(other.access, hint: hint).status == 200)
    #expect(try fixture.userInfo(other.access).status == 401)
  }

  @Test("RV-05 no token, two tokens and GET are refused")
  func badRequests() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    let none = try fixture.post("/oauth/revoke", [("client_id", "app")])
    #expect(none.status == 400 && none.error == "invalid_request")
    let two = try fixture.post(
      "/oauth/revoke", [("token", tokens.refresh), ("token", tokens.refresh), ("client_id", "app")])
    #expect(two.status == 400 && two.error == "invalid_request")
    let get = try fixture.send("GET", "/oauth/revoke?" + formText([("token", tokens.refresh), ("client_id", "app")]))
    #expect(get.status == 405 && get.first("Allow") == "POST")
    let unknown = try fixture.revoke(tokens.refresh, client: "nobody")
    #expect([400, 401].contains(unknown.status) && unknown.error == "invalid_client")
    #expect(try fixture.refresh(tokens.refresh).status == 200)
  }

  @Test("RV-06 an access token is denied at once, and until it is over")
  func accessToken() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    #expect(try fixture.revoke(tokens.access).status == 200)
    #expect(try fixture.userInfo(tokens.access).status == 401)
    let until = try #require(try fixture.store.denied(now: fixture.clock.now)[tokens.jti])
    #expect(until.seconds >= (try decoded(tokens.access).claims["exp"]?.number ?? .max))
    try fixture.store.prune(now: fixture.clock.now, keepSeconds: 0)
    #expect(try fixture.userInfo(tokens.access).status == 401)
    let inactive = try fixture.post("/oauth/introspect", [("token", tokens.access), ("client_id", "app")])
    #expect(try inactive.json() == ["active": .bool(false)])
    // The family lives on: another token is another jti.
    let next = try Tokens(fixture.refresh(tokens.refresh))
    #expect(try fixture.userInfo(next.access).status == 200)
  }

  @Test("introspection tells a client of its own tokens alone (RFC 7662 2.2)")
  func introspection() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    func ask(_ token: String, _ client: String) throws -> JSONValue {
      try fixture.post("/oauth/introspect", [("token", token), ("client_id", client)]).json()
    }
    for token in [tokens.access, tokens.refresh] {
      #expect(try ask(token, "app")["active"]?.isTrue == true)
      #expect(try ask(token, "app")["sub"]?.string == "user_alice")
      #expect(try ask(token, "other") == ["active": .bool(false)])
    }
    for token in ["x", tokens.id ?? "", tokens.access + "x"] {
      #expect(try ask(token, "app") == ["active": .bool(false)])
    }
  }

  @Test("introspection calls no token of a disabled user active")
  func introspectionOfADisabledUser() throws {
    let fixture = try BackendFixture(), alice = try fixture.signIn(), bob = try fixture.signIn(user: "bob")
    var user = try #require(try fixture.store.user(named: "alice"))
    user.isDisabled = true
    // Nothing ends, so that only the look at the account can tell.
    _ = try fixture.store.change(user, ending: nil, now: fixture.clock.now, denyUntil: nil)
    #expect(try fixture.store.family(id: alice.sid)?.end == nil)
    for token in [alice.refresh, alice.access] {
      let answer = try fixture.post("/oauth/introspect", [("token", token), ("client_id", "app")])
      #expect(answer.status == 200)
      #expect(try answer.json() == ["active": .bool(false)])
    }
    #expect(try fixture.live([bob.refresh, bob.access]).count == 2)
    user.isDisabled = false
    _ = try fixture.store.change(user, ending: nil, now: fixture.clock.now, denyUntil: nil)
    #expect(try fixture.live([alice.refresh, alice.access]).count == 2)
  }
}
