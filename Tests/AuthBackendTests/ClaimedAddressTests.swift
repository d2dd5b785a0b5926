import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// Any program of a device can listen at a loopback address or take a private-use scheme, and begin a sign-in in the app's name: who is
/// signed in already is asked before it gets a code (RFC 8252 8.6, RFC 6749 10.2).
@Suite("/authorize: addresses that no app can claim")
struct ClaimedAddressTests {
  private static let clients = ["scheme", "loopback"]

  @Test("a signed-in user is asked once for each sign-in, and sees who goes on to what", arguments: clients)
  func asked(_ client: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), asked = Asked(client)
    // Who has just typed the password for this very request is asked nothing more.
    let first = try browser.authorize(asked)
    #expect(first.status == 303 && first.destination?["code"] != nil)
    for _ in 0..<2 {
      let page = try browser.get(asked.target)
      #expect(page.status == 200 && page.first("Location") == nil)
      #expect(page.text.contains("Continue as alice to The \(client) app?"))
      #expect(!page.text.contains("name=\"password\"") && !page.text.contains("<script"))
      let answer = try browser.submit(page, "continue")
      #expect(answer.destination?.text.hasPrefix(asked["redirect_uri"] + "?code=") == true)
      #expect(answer.destination?["state"] == Asked.state)
      #expect(try fixture.redeem(try #require(answer.destination?["code"]), asked).status == 200)
    }
    let cancelled = try browser.submit(try browser.get(asked.target), "cancel")
    #expect(cancelled.destination?["error"] == "access_denied")
    // By a form of the client's likewise.
    #expect(try browser.post("/authorize", asked.items).text.contains("value=\"continue\""))
  }

  @Test("prompt=none cannot ask, and says so", arguments: clients)
  func none(_ client: String) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), asked = Asked(client)
    _ = try browser.authorize(asked)
    let answer = try browser.get(asked.with("prompt", "none").target)
    #expect(answer.destination?["error"] == "interaction_required" && answer.destination?["code"] == nil)
    #expect(answer.destination?["state"] == Asked.state)
    // An address of https, which the system gives to its app alone, needs nobody's click.
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
    #expect(try browser.get(Asked().target).destination?["code"] != nil)
  }

  @Test("a form that is not from this browser's page, or is for another request, gives no code", arguments: 0..<5)
  func foreign(_ how: Int) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), asked = Asked("scheme")
    _ = try browser.authorize(asked)
    let page = try browser.get(asked.target), form = try #require(PageForm(page.text))
    var items = form.hidden + [("action", "continue")], address = form.address, headers: [String] = []
    switch how {
    case 0: items = [("action", "continue")]
    case 1: headers = ["Origin: https://evil.example"]
    case 2: address = asked.with("code_challenge", String(repeating: "A", count: 43)).target
    case 3:
      // The sign-in page has a token of its own.
      let other = try #require(PageForm(try browser.get(asked.with("prompt", "login").target).text))
      items = other.hidden + [("action", "continue")]
    default: _ = try browser.authorize(Asked("scheme").with("prompt", "login"), user: "bob")
    }
    let answer = try browser.post(address, items, headers: headers)
    #expect(answer.status == 403 && answer.first("Location") == nil)
  }

  @Test("a consent is click enough, and one that was given before is not")
  func consent() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    var client = try #require(try fixture.store.client("third"))
    client.redirectURIs = ["com.example.third:/cb"]
    try fixture.store.put(client)
    let asked = Asked("third", redirect: "com.example.third:/cb", scope: "openid")
    _ = try browser.authorize(Asked())
    #expect(try browser.submit(try browser.get(asked.target), "allow").destination?["code"] != nil)
    let page = try browser.get(asked.target)
    #expect(page.text.contains("value=\"continue\""))
    #expect(try browser.submit(page, "continue").destination?["code"] != nil)
  }
}
