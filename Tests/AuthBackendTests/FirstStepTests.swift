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
    var token = try Tokens(fixture.refresh(fixture.signIn().refresh)).refresh
    // The client is known for a second after a refresh, which may be over on a slow machine: then a worker has it, and nothing is shown.
    for _ in 0..<20 {
      fixture.steps.withLock { $0 = [] }
      let answer = Monitor<RawResponse?>(nil), sent = token
      var thread: Basics.Thread?, step: BackendFixture.Step?
      try fixture.whileLocked {
        thread = try Basics.Thread {
          let response = try? fixture.refresh(sent)
          answer.withLock { $0 = response }
        }
        // The one thread that reads has come back from it.
        step = fixture.steps.wait(until: .now().advanced(bySeconds: 20)) { $0.first }
        #expect(try fixture.send("GET", "/healthz").status == 200)
        #expect(answer.withLock { $0 } == nil)
      }
      thread?.join()
      let response = try #require(answer.withLock { $0 })
      #expect(response.status == 200)
      guard step == .worker else {
        #expect(step == .later)
        return
      }
      token = try Tokens(response).refresh
    }
    Issue.record("no refresh was begun on the thread that reads")
  }
}
