import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// Who is answered twice, and who is not.
@Suite("Grace")
struct GraceTests {
  @Test("a client whose devices are known has no grace unless it is given one")
  func noneByDefault() throws {
    let fixture = try BackendFixture()
    var client = Client(id: "phone", name: "The phone's app", redirectURIs: ["https://phone.example/cb"])
    client.devicePolicy = .required
    try fixture.store.put(client)
    let asked = Asked("phone", redirect: client.redirectURIs[0]).with("device_id", "dev-1")
    let tokens = [try fixture.signIn(asked), try fixture.signIn(asked)]
    // One after the other in the same second, and both at once.
    let one = try [0, 1].map { _ in try fixture.refresh(tokens[0].refresh, client: "phone", device: "dev-1") }
    let two = try inParallel(2) { _ in try fixture.refresh(tokens[1].refresh, client: "phone", device: "dev-1") }
    for (answers, tokens) in [(one, tokens[0]), (two, tokens[1])] {
      #expect(answers.map(\.status).sorted() == [200, 400])
      #expect(try fixture.store.family(id: tokens.sid)?.end == .replay)
    }
    #expect(fixture.events.alerts.map { $0.fields["reason"] } == ["replay", "replay"])
    #expect(try fixture.rows("SELECT id FROM family WHERE sealed IS NOT NULL") == [])
  }

  @Test("within the grace the token before the last is answered, and the one before that ends the sign-in")
  func directPredecessor() throws {
    let fixture = try BackendFixture()
    func refresh(_ token: String) throws -> RawResponse { try fixture.refresh(token, client: "bound", device: "dev-1") }
    let first = try fixture.signIn(Asked("bound").with("device_id", "dev-1"))
    let second = try Tokens(refresh(first.refresh)), third = try Tokens(refresh(second.refresh))
    // No time has passed.
    #expect(try Tokens(refresh(second.refresh)).refresh == third.refresh)
    #expect(try refresh(first.refresh).error == "invalid_grant")
    #expect(try fixture.store.family(id: first.sid)?.end == .replay)
    #expect(try refresh(third.refresh).error == "invalid_grant")
  }

  @Test("a sign-in without a device has no grace, whatever its client has")
  func withoutDevice() throws {
    let fixture = try BackendFixture()
    var client = try #require(try fixture.store.client("app"))
    client.graceSeconds = 10
    try fixture.store.put(client)
    let tokens = try fixture.signIn()
    #expect(try fixture.refresh(tokens.refresh).status == 200)
    // Nor does naming a device that it does not have bring one.
    #expect(try fixture.refresh(tokens.refresh, device: "dev-1").error == "invalid_grant")
    #expect(try fixture.store.family(id: tokens.sid)?.end == .replay)
  }
}
