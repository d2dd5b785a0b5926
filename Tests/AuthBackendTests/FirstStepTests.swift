import Basics
import HTTPTestSupport
import Testing

/// What is done on the threads that read and write, which all connections share, and what is not.
@Suite("First steps")
struct FirstStepTests {
  private func step(_ fixture: BackendFixture, _ body: () throws -> RawResponse) throws -> BackendFixture.Step? {
    fixture.steps.withLock { $0 = [] }
    _ = try body()
    let steps = fixture.steps.withLock { $0 }
    #expect(steps.count == 1)
    return steps.first
  }

  @Test("what has to be looked up in the store is looked up by a worker, and a refresh that has all in memory is not")
  func places() throws {
    let fixture = try BackendFixture(), code = try fixture.code()
    var token = ""
    #expect(try step(fixture) { try fixture.redeem("x") } == .worker)
    #expect(
      try step(fixture) {
        let answer = try fixture.redeem(code)
        token = try Tokens(answer).refresh
        return answer
      } == .worker)
    func refresh() throws -> BackendFixture.Step? {
      try step(fixture) {
        let answer = try fixture.refresh(token)
        token = try Tokens(answer).refresh
        return answer
      }
    }
    #expect(try refresh() == .worker, "the client is not known yet")
    // It is known for a second, which a slow machine may take for one request.
    func isQuickOnce() throws -> Bool { try (0..<50).contains { _ in try refresh() == .later } }
    #expect(try isQuickOnce())
    #expect(try step(fixture) { try fixture.refresh(token, client: "nobody") } == .worker)
    #expect(try step(fixture) { try fixture.refresh("x") } == .worker, "a refusal is written down")
    #expect(try step(fixture) { try fixture.send("POST", "/oauth/token", body: "x") } == .atOnce)
    // Nobody has read the keys for long.
    fixture.clock.advance(by: 1_000)
    #expect(try refresh() == .worker)
    #expect(try isQuickOnce())
  }

  @Test("a refresh that waits for another process holds up no other connection")
  func heldStore() throws {
    let fixture = try BackendFixture()
    let first = try Tokens(fixture.refresh(fixture.signIn().refresh)).refresh
    // Within a second of the refresh before, it is begun on the thread that reads.
    fixture.steps.withLock { $0 = [] }
    let answer = Monitor<RawResponse?>(nil)
    var thread: Basics.Thread?
    try fixture.whileLocked {
      thread = try Basics.Thread {
        let response = try? fixture.refresh(first)
        answer.withLock { $0 = response }
      }
      // The one thread that reads has come back from it.
      #expect(fixture.steps.wait(until: .now().advanced(bySeconds: 20)) { $0.isEmpty ? nil : true } == true)
      #expect(try fixture.send("GET", "/healthz").status == 200)
      #expect(answer.withLock { $0 } == nil)
    }
    thread?.join()
    #expect(answer.withLock { $0 }?.status == 200)
  }
}
