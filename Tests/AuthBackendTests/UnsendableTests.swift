import AuthBackend
import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// An answer that no client could read is our own fault, of which the operator must hear.
@Suite struct UnsendableTests {
  @Test("an answer that cannot be sent is an alert, equal ones within a minute are one")
  func isAnAlert() throws {
    let fixture = try BackendFixture()
    let server = try Server(
      handler: { _ in ServerResponse(status: 200, headers: ["X": "a\r\nSet-Cookie: b=1"]) },
      onUnsendable: { fixture.backend.couldNotSend($0, $1) })
    for _ in 0..<2 { #expect(try exchange(server.port, "GET", "/oauth/userinfo?access_token=secret")?.status == 500) }
    server.stop()
    let events = fixture.events.named("answer.unsendable")
    #expect(events.map(\.isAlert) == [true, false])
    #expect(
      events.allSatisfy { $0.fields["endpoint"] == "/oauth/userinfo" && $0.fields["failure"]?.contains("'X'") == true })
    #expect(!"\(events)".contains("secret"))
  }
}
