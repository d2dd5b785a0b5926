import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// Demands of standards that no other suite is about.
@Suite("Demands of standards")
struct StandardDemandTests {
  @Test("somebody else's app has a refresh token with offline_access alone (OpenID Connect Core 11)")
  func offlineAccess() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    var client = try #require(try fixture.store.client("third"))
    client.scopes = ["openid", "offline_access"]
    client.grants.insert("refresh_token")
    try fixture.store.put(client)
    for (scope, isLasting) in [("openid", false), ("openid offline_access", true)] {
      let asked = Asked("third", scope: scope), page = try browser.authorize(asked)
      #expect(page.text.contains("to stay signed in") == isLasting)
      let code = try #require(try browser.submit(page, "allow").destination?["code"])
      let answer = try fixture.redeem(code, asked).json()
      #expect(answer["access_token"]?.string != nil && (answer["refresh_token"] != nil) == isLasting)
    }
  }

  @Test("userinfo answers a POST as it does a GET (OpenID Connect Core 5.3.1)")
  func postedUserInfo() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(Asked(scope: "openid email"))
    let posted = try fixture.post("/oauth/userinfo", [], headers: ["Authorization: Bearer \(tokens.access)"])
    #expect(posted.status == 200)
    #expect(try posted.json() == fixture.userInfo(tokens.access).json())
    #expect(try fixture.post("/oauth/userinfo", []).status == 401)
  }

  @Test("each challenge has a parameter, and tells no error where no token was shown (RFC 6750 3)")
  func challenges() throws {
    let fixture = try BackendFixture(), narrow = try fixture.signIn(Asked(scope: "feed")).access
    for (method, path) in [("GET", "/oauth/userinfo"), ("POST", "/oauth/userinfo"), ("POST", "/oauth/logout")] {
      func challenge(_ token: String?) throws -> (status: Int, text: String?) {
        let headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
        let answer = try fixture.send(method, path, headers: headers, body: method == "POST" ? "" : nil)
        return (answer.status, answer.first("WWW-Authenticate"))
      }
      #expect(try challenge(nil) == (401, #"Bearer realm="oauth""#), "\(method) \(path)")
      #expect(try challenge("x") == (401, #"Bearer error="invalid_token""#), "\(method) \(path)")
      guard path == "/oauth/userinfo" else { continue }
      #expect(try challenge(narrow) == (403, #"Bearer error="insufficient_scope", scope="openid""#), "\(method)")
    }
  }

  @Test("a token that is over is not active (RFC 7662 4)")
  func expiredToken() throws {
    let fixture = try BackendFixture(), secret = try fixture.addResource(), tokens = try fixture.signIn()
    let life = fixture.backend.settings.accessTokenSeconds
    fixture.clock.advance(by: life - 1)
    #expect(try fixture.introspect(tokens.access, secret).json()["active"]?.isTrue == true)
    fixture.clock.advance(by: 1 + fixture.backend.settings.leewaySeconds)
    #expect(try fixture.introspect(tokens.access, secret).json() == ["active": .bool(false)])
  }
}
