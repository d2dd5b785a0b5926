import Basics
import Testing

@testable import BackendAdmin

@Suite struct HousekeepingTests {
  @Test func whatIsStoppedLeavesTheRestForAnotherTime() throws {
    let steps = Monitor(0)
    let housekeeping = try Housekeeping([
      .init(first: 0, seconds: 3_600) { isStopping in
        let end = MonotonicInstant.now().advanced(bySeconds: 60)
        while !isStopping(), MonotonicInstant.now() < end { steps.withLock { $0 += 1 } }
      }
    ])
    steps.wait { $0 > 0 ? () : nil }
    let start = MonotonicInstant.now()
    housekeeping.stop()
    #expect(MonotonicInstant.now() < start.advanced(bySeconds: 30))
  }

  @Test func eachIsDoneFirstWhenItIsTimeAndThenAgain() throws {
    let done = Monitor<[String]>([])
    let housekeeping = try Housekeeping([
      .init(first: 0, seconds: 3_600) { _ in done.withLock { $0.append("soon and seldom") } },
      .init(first: 3_600, seconds: 0) { _ in done.withLock { $0.append("late") } },
      .init(first: 1, seconds: 1) { _ in done.withLock { $0.append("often") } },
    ])
    done.wait { $0.count == 3 ? () : nil }
    housekeeping.stop()
    #expect(done.withLock { $0 } == ["soon and seldom", "often", "often"])
  }
}
