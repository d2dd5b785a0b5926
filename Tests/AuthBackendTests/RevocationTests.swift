import BackendStoreConformance
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

  @Test("an access token counts here for the audience of the client that it was issued to, and for no other client's")
  func audiences() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    #expect(try fixture.userInfo(tokens.access).status == 200)
    var (app, other) = (
      try #require(try fixture.store.client("app")), try #require(try fixture.store.client("other"))
    )
    (app.audience, other.audience) = (other.audience, app.audience)
    for client in [app, other] { try fixture.store.put(client) }
    #expect(try fixture.userInfo(tokens.access).status == 401)
    let changed = try Tokens(fixture.refresh(tokens.refresh))
    #expect(try fixture.userInfo(changed.access).status == 200)
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
    let inactive = try fixture.introspect(tokens.access, fixture.addResource())
    #expect(try inactive.json() == ["active": .bool(false)])
    // The family lives on: another token is another jti.
    let next = try Tokens(fixture.refresh(tokens.refresh))
    #expect(try fixture.userInfo(next.access).status == 200)
  }

  @Test(
    "a thief who ends the sign-in does not keep its owner from being heard",
    arguments: ["/oauth/revoke", "/oauth/logout"])
  func hiddenTheft(_ how: String) throws {
    let fixture = try BackendFixture(), owner = try fixture.signIn()
    let thief = try Tokens(fixture.refresh(owner.refresh))
    let ended =
      how == "/oauth/revoke"
      ? try fixture.revoke(thief.refresh)
      : try fixture.post(how, [], headers: ["Authorization: Bearer \(thief.access)"])
    #expect([200, 204].contains(ended.status))
    for _ in 1...2 {
      let answer = try fixture.refresh(owner.refresh)
      #expect(answer.status == 400 && answer.error == "invalid_grant")
    }
    let replays = fixture.events.alerts.filter { $0.name == "refresh.refused" }
    #expect(replays.count == 1 && replays.allSatisfy { $0.fields["reason"] == "replay" && $0.fields["ended"] == nil })
    // The thief's own token is the live one, which shows nothing.
    #expect(try fixture.refresh(thief.refresh).status == 400)
    #expect(fixture.events.named("refresh.refused").last?.fields["reason"] == "ended")
  }
}
