import BackendStore
import Basics
import HTTPTestSupport
import Testing

/// What the server gave out before its pepper changed counts afterwards.
@Suite("Peppers at the server")
struct PepperTests {
  @Test("after a rotation, refresh tokens, codes and browsers of before it count, and replays of before it are seen")
  func rotation() throws {
    let fixture = try BackendFixture { $0.codeSeconds = 600 }
    let browser = Browser(fixture)
    let one = try fixture.signIn(in: browser), spent = try fixture.signIn()
    let next = try Tokens(fixture.refresh(spent.refresh)), code = try fixture.code(in: browser)
    func pepper(_ tokens: Tokens) throws -> Int64 {
      try #require(try fixture.store.family(id: tokens.sid)).current.pepper
    }
    let old = try pepper(one)
    let made = try fixture.backend.peppers.rotateNow().key
    #expect(made.state == .pending && made.number > old)
    try fixture.advance(by: 301)
    #expect(try pepper(one) == old)
    let two = try Tokens(fixture.refresh(one.refresh))
    #expect(try pepper(two) == made.number)
    #expect(try Tokens(fixture.refresh(two.refresh)).sid == one.sid)
    #expect(try fixture.redeem(code).status == 200)
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
    // Spent under the old pepper, and come back under the new one.
    #expect(try fixture.refresh(spent.refresh).error == "invalid_grant")
    #expect(try fixture.store.family(id: spent.sid)?.end == .replay)
    #expect(try fixture.refresh(next.refresh).error == "invalid_grant")
  }

  @Test("a rotation that comes between a refresh and its repetition changes nothing about the grace")
  func grace() throws {
    let fixture = try BackendFixture(), asked = Asked("bound").with("device_id", "dev-1")
    func refresh(_ token: String) throws -> RawResponse { try fixture.refresh(token, client: "bound", device: "dev-1") }
    let first = try fixture.signIn(asked)
    _ = try fixture.backend.peppers.rotateNow()
    try fixture.advance(by: 298)
    let second = try Tokens(refresh(first.refresh))
    try fixture.advance(by: 4)
    #expect(try Tokens(refresh(first.refresh)).refresh == second.refresh)
    #expect(try refresh(second.refresh).status == 200)
    #expect(fixture.events.alerts.isEmpty)
  }
}
