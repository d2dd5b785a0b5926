import BackendStore
import BackendStoreConformance
import Basics
import CLinux
import Testing

/// A rotation of who is alone is committed by the thread that asks, which waits for the disk and for no other process.
@Suite struct AloneTests {
  private let place: Place
  private let store: SQLiteStore
  private let rotation: Rotation
  private let outcome = Monitor<Result<RotationOutcome, Failure>?>(nil)

  init() throws {
    let start = Timestamp(seconds: 1_800_000_000), first = KeyedHash(pepper: 1, bytes: [1])
    place = try Place()
    try place.reset()
    store = try place.open()
    try store.add(User(id: "u1", name: "u1", passwordHash: nil, createdAt: start))
    let began = try store.begin(
      Family(
        id: "sid", handle: [7], user: "u1", client: "app", device: nil, scopes: [], authTime: start, createdAt: start,
        expiresAt: start.advanced(by: 1_000), idleSeconds: 1_000, current: first))
    #expect(began)
    rotation = Rotation(
      handle: [7], presented: [first], successor: KeyedHash(pepper: 1, bytes: [2]), client: "app", device: nil,
      now: start)
  }

  private func rotate() {
    let outcome = outcome
    store.rotate(rotation, isAlone: true) { result in outcome.withLock { $0 = result } }
  }

  private func isRotated(_ outcome: Result<RotationOutcome, Failure>?) -> Bool {
    if case .success(.rotated) = outcome { true } else { false }
  }

  @Test func whoIsAloneCommitsByHimself() {
    rotate()
    #expect(isRotated(outcome.withLock { $0 }), "it is done when the call returns")
  }

  @Test func whoIsAloneWaitsForNoOtherProcess() throws {
    try place.whileLocked {
      rotate()
      #expect(outcome.withLock { $0 } == nil, "the call returned, and the thread that writes waits")
    }
    #expect(isRotated(outcome.wait(until: .now().advanced(bySeconds: 20)) { $0 }))
  }

  @Test func theThreadThatWritesBeginsAtOnce() throws {
    let usual = clinux_turn(), turn = Monitor<Int64?>(nil)
    try #require(usual >= 0)
    store.rotate(rotation, isAlone: false) { _ in turn.withLock { $0 = clinux_turn() } }
    // Linux before 6.12 has turns of one length.
    #expect(turn.wait(until: .now().advanced(bySeconds: 20)) { $0 } == (usual > 0 ? 300_000 : 0))
    #expect(clinux_turn() == usual, "the others' stay as they were")
  }

  @Test func whoComesAfterwardsWaitsAsBefore() throws {
    let store = store, rotation = rotation, outcome = outcome
    rotate()
    var thread: Basics.Thread?
    try place.whileLocked {
      thread = try Basics.Thread {
        let found = Result { () throws(Failure) in try store.rotate(rotation) }
        outcome.withLock { $0 = found }
      }
      #expect(outcome.wait(until: .now().advanced(bySeconds: 0.2)) { isRotated($0) ? nil : true } == nil)
    }
    thread?.join()
    guard case .success(.refused(.replay, _, _)) = outcome.withLock({ $0 }) else {
      Issue.record("the step did not wait")
      return
    }
  }
}
