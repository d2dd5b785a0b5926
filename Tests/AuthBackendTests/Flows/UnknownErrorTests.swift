@testable import AuthBackend
import Testing

/// Errors that are neither OAuth's nor the project's own.
@Suite("errors that nobody thought of") struct UnknownErrorTests {
  private struct Odd: Error {}

  @Test("the operator is told what it was, and the client that the server failed") func isTold() throws {
    let fixture = try FlowFixture()
    _ = try fixture.token("refresh_token", [])
    let call = BackendCall(backend: fixture.backend, request: try #require(fixture.lastRequest))
    #expect(call.answer(.token, to: Odd()).status == 500)
    #expect(fixture.last("server.failure", "failure")?.contains("Odd") == true)
    #expect(fixture.events("server.failure").last?.isAlert == true)
  }
}
