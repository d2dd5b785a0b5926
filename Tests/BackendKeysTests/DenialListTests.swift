import BackendKeys
import Basics
import Foundation
import JOSE
import MFSResourceServer
import Testing

/// How old a list of denials may be that a token is taken by: what a resource server answers while the list's source does not.
@Suite("A list of denials", .timeLimit(.minutes(1)))
struct DenialListTests {
  /// A source that can be made to hang.
  private final class Source: Sendable {
    private struct State {
      var denied: [String: Timestamp] = [:]
      var hangs = false
      var calls = 0
      var inside = 0
      var mostInside = 0
    }
    private let state = Monitor(State())

    var calls: Int { state.withLock { $0.calls } }
    /// The most threads that were at it at a time.
    var mostInside: Int { state.withLock { $0.mostInside } }

    func deny(_ id: String, until: Timestamp) { state.withLock { $0.denied[id] = until } }
    func set(hangs: Bool) { state.withLock { $0.hangs = hangs } }
    func waitForCall(_ number: Int) { state.wait { $0.calls >= number ? () : nil } }

    func read() -> [String: Timestamp] {
      state.withLock { state in
        state.calls += 1
        state.inside += 1
        state.mostInside = max(state.mostInside, state.inside)
      }
      return state.wait { state in
        guard !state.hangs else { return nil }
        state.inside -= 1
        return state.denied
      }
    }
  }

  private let server: Server
  private let token: String
  private let source = Source()

  init() throws {
    server = try Server()
    token = try server.accessToken().text
  }

  private func list(fresh: Int64 = 5, stale: Int64 = 60, wait: Int64 = 1) -> DenialList {
    DenialList(freshSeconds: fresh, staleSeconds: stale, waitSeconds: wait) { [source] _ in source.read() }
  }

  private func status(_ list: DenialList, after seconds: Int64 = 0) throws -> Int {
    let verifier = ResourceVerifier(issuer: issuer, audience: "api", keys: try server.jwks(), denials: list)
    do throws(ResourceRefusal) {
      _ = try verifier.verify(authorization: "Bearer " + token, now: server.now.advanced(by: seconds))
      return 200
    } catch { return error.status }
  }

  /// Asks on a thread of its own.
  private func asking(_ list: DenialList, after seconds: Int64) throws -> (thread: Basics.Thread, status: Monitor<Int?>)
  {
    let status = Monitor<Int?>(nil), tests = self
    let thread = try Basics.Thread {
      let seen = (try? tests.status(list, after: seconds)) ?? -1
      status.withLock { $0 = seen }
    }
    return (thread, status)
  }

  @Test("while its source hangs, the last list counts for staleSeconds and not for one more; then all are refused")
  func aSourceThatHangs() throws {
    let list = list()
    #expect(try status(list) == 200)
    source.deny("sess_01", until: server.now.advanced(by: 600))
    source.set(hangs: true)
    // One thread reads and is held up. The others go by the list that is there, as long as it may count.
    let reader = try asking(list, after: 6)
    source.waitForCall(2)
    for seconds in [6, 30, 60] as [Int64] { #expect(try status(list, after: seconds) == 200, "after \(seconds) s") }
    for seconds in [61, 62, 300] as [Int64] { #expect(try status(list, after: seconds) == 503, "after \(seconds) s") }
    // They did not pile up before the source, and who comes when it has hung for long is not held up at all.
    let start = MonotonicInstant.now()
    for _ in 0..<50 { #expect(try status(list, after: 61) == 503) }
    #expect(MonotonicInstant.now().milliseconds(since: start) < 20_000)
    #expect(source.calls == 2 && source.mostInside == 1)
    #expect(reader.status.withLock { $0 } == nil)
    // When it answers again, what was revoked meanwhile is known.
    source.set(hangs: false)
    reader.thread.join()
    #expect(reader.status.withLock { $0 } == 401)
    #expect(try status(list, after: 61) == 401)
  }

  @Test("a list whose reading took longer than a list may be old is not used")
  func aSourceThatIsSlow() throws {
    let slow = DenialList(freshSeconds: 1, staleSeconds: 1, waitSeconds: 0) { _ in
      usleep(1_100_000)
      return [:]
    }
    #expect(try status(slow) == 503)
  }

  @Test("who has to wait for the first list gives up when the reading takes too long")
  func theFirstListHangs() throws {
    let list = list()
    source.set(hangs: true)
    let reader = try asking(list, after: 0)
    source.waitForCall(1)
    #expect(try status(list) == 503)
    source.set(hangs: false)
    reader.thread.join()
    #expect(reader.status.withLock { $0 } == 200)
    #expect(try status(list) == 200)
    #expect(source.calls == 1)
  }

  @Test("who comes while a reading hangs gives up when that has taken too long, and not so long after he came")
  func lateComers() throws {
    let list = list(wait: 2), start = MonotonicInstant.now()
    source.set(hangs: true)
    let reader = try asking(list, after: 0)
    source.waitForCall(1)
    usleep(1_000_000)
    #expect(try status(list) == 503)
    #expect(MonotonicInstant.now().milliseconds(since: start) >= 2_000, "the reading had two seconds")
    // It has had them: with two seconds for each who comes this would take a minute.
    let over = MonotonicInstant.now()
    for _ in 0..<30 { #expect(try status(list) == 503) }
    #expect(MonotonicInstant.now().milliseconds(since: over) < 20_000)
    source.set(hangs: false)
    reader.thread.join()
  }

  @Test("a reading that fails is tried again after freshSeconds, and not for each token")
  func aSourceThatFails() throws {
    let calls = Monitor(0), fails = Monitor(true)
    let list = DenialList(freshSeconds: 5, staleSeconds: 60, waitSeconds: 1) { _ throws(Failure) in
      calls.withLock { $0 += 1 }
      if fails.withLock({ $0 }) { throw Failure(.serverRefused, "429") }
      return [:]
    }
    func expect(_ expected: Int, _ count: Int, at seconds: Int64) throws {
      let found = try status(list, after: seconds)
      #expect(found == expected && calls.withLock { $0 } == count, "at \(seconds): \(found)")
    }
    // Without a list no token is taken meanwhile; with one that is not too old, each is.
    for seconds in [0, 0, 1, 5] as [Int64] { try expect(503, 1, at: seconds) }
    for seconds in [6, 11] as [Int64] { try expect(503, 2, at: seconds) }
    fails.withLock { $0 = false }
    for seconds in [12, 12, 17] as [Int64] { try expect(200, 3, at: seconds) }
    fails.withLock { $0 = true }
    for seconds in [18, 18, 20, 23] as [Int64] { try expect(200, 4, at: seconds) }
    try expect(200, 5, at: 24)
    try expect(200, 6, at: 72)
    for seconds in [73, 77] as [Int64] { try expect(503, 6, at: seconds) }
    try expect(503, 7, at: 78)
  }

  @Test("with 0 seconds each token is judged by a list that was read for it, also while another thread reads")
  func readForEach() throws {
    let list = list(fresh: 0)
    #expect(try status(list) == 200)
    source.deny("sess_01", until: server.now.advanced(by: 600))
    source.set(hangs: true)
    let reader = try asking(list, after: 0)
    source.waitForCall(2)
    #expect(try status(list) == 503)
    source.set(hangs: false)
    reader.thread.join()
    #expect(reader.status.withLock { $0 } == 401)
    #expect(try status(list) == 401)
    #expect(source.calls == 3 && source.mostInside == 1)
  }
}
