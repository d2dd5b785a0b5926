import Basics
import Glibc
import Testing

@Suite struct MonotonicInstantTests {
  @Test func itMovesForwardAndIsCompared() {
    let now = MonotonicInstant.now()
    #expect(MonotonicInstant.now() >= now)
    #expect(now.advanced(bySeconds: 1.5).milliseconds(since: now) == 1_500)
    #expect(now.milliseconds(since: now.advanced(byMilliseconds: 7)) == -7)
    #expect(now.advanced(bySeconds: 1) > now)
  }

  @Test(arguments: [Double.nan, -1, -Double.infinity]) func whatIsNoDurationCountsAsNothing(seconds: Double) {
    let now = MonotonicInstant.now()
    #expect(now.advanced(bySeconds: seconds) == now)
  }

  @Test func theEndOfTheRangeHolds() {
    var far = MonotonicInstant.now()
    for _ in 0..<100 { far = far.advanced(bySeconds: .infinity) }
    #expect(far.nanoseconds == .max)
    #expect(far.millisecondsLeft == .max)
    #expect(far.advanced(byMilliseconds: .max) == far)
    #expect(far.timespec.tv_nsec < 1_000_000_000)
  }

  @Test func whatIsLeftIsRoundedUp() {
    let now = MonotonicInstant.now()
    #expect(now.millisecondsLeft == 0)
    // A wait that ended a moment too soon would spin.
    let soon = now.advanced(bySeconds: 100)
    let left = soon.millisecondsLeft
    #expect(left > 90_000 && left <= 100_000)
    #expect(MonotonicInstant.now().advanced(bySeconds: 1e-9).millisecondsLeft <= 1)
  }
}
