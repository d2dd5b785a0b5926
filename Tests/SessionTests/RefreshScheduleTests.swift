import Basics
import Testing

@testable import Session

@Suite struct RefreshScheduleTests {
  typealias Step = RefreshSchedule.Step
  static let start = ClockReading(wall: Fixture.now, elapsed: 1_000)

  static func signIn(
    _ id: String = "a", session: Int64? = 3_600, token: Int64? = nil, hasSession: Bool = true, canRefresh: Bool = true
  ) -> SignIn {
    SignIn(
      id: id, hasSession: hasSession, sessionExpiresAt: session.map { start.wall.advanced(by: $0) },
      idTokenExpiresAt: token.map { start.wall.advanced(by: $0) }, canRefresh: canRefresh)
  }

  static func later(_ wall: Int64, _ elapsed: Int64? = nil) -> ClockReading {
    ClockReading(wall: start.wall.advanced(by: wall), elapsed: start.elapsed + (elapsed ?? wall))
  }

  static func schedule(_ signIn: SignIn, isNew: Bool = false) -> RefreshSchedule {
    var schedule = RefreshSchedule(skew: 300)
    schedule.learn(signIn, isNew: isNew, at: start)
    return schedule
  }

  @Test func itIsDueBeforeWhicheverEndsFirst() {
    for (session, token) in [(3_600, 7_200), (7_200, 3_600), (3_600, nil)] as [(Int64, Int64?)] {
      let schedule = Self.schedule(Self.signIn(session: session, token: token))
      #expect(schedule.step(at: Self.start) == .wait(wall: Self.start.wall.advanced(by: 3_300), elapsed: 4_300))
      #expect(schedule.step(at: Self.later(3_299)) != .refresh)
      #expect(schedule.step(at: Self.later(3_300)) == .refresh)
    }
  }

  @Test func whatNothingEndsOrRefreshesIsNeverDue() {
    let local = SignIn(id: "d", isLocal: true, hasSession: false, sessionExpiresAt: nil, canRefresh: false)
    for signIn in [local, Self.signIn(session: nil), Self.signIn(canRefresh: false)] {
      let schedule = Self.schedule(signIn)
      #expect(schedule.step(at: Self.later(1_000_000_000)) == .wait(wall: nil, elapsed: nil))
    }
  }

  @Test func aSessionThatWasDroppedIsFetchedAtOnce() {
    #expect(Self.schedule(Self.signIn(session: nil, hasSession: false)).step(at: Self.start) == .refresh)
  }

  /// The machine slept: both clocks have gone on, whatever a monotonic clock says.
  @Test func afterSleepItIsDueAtOnce() {
    #expect(Self.schedule(Self.signIn()).step(at: Self.later(40_000)) == .refresh)
  }

  @Test func aClockSetAheadMakesItDue() {
    #expect(Self.schedule(Self.signIn()).step(at: Self.later(86_400, 5)) == .refresh)
  }

  /// The wall clock alone would sleep for a day more, and the session would end meanwhile.
  @Test func aClockSetBackDoesNotPutItOff() {
    let schedule = Self.schedule(Self.signIn())
    #expect(schedule.step(at: Self.later(-86_400, 10)) != .refresh)
    #expect(schedule.step(at: Self.later(-86_400 + 3_290, 3_300)) == .refresh)
  }

  @Test func theWaitIsRandomBelowABoundThatDoublesToItsEnd() {
    var schedule = Self.schedule(Self.signIn())
    let now = Self.later(3_300)
    for bound in [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] as [Int64] {
      var lowest = schedule
      lowest.fail(status: 503, retryAfter: nil, at: now, random: 0)
      #expect(lowest.step(at: now) == .wait(wall: nil, elapsed: now.elapsed + 1), "never at once")
      schedule.fail(status: 503, retryAfter: nil, at: now, random: 0.999_999)
      #expect(schedule.secondsLeft(at: now) == max(1, bound - 1))
    }
    for _ in 0..<1_000 { schedule.fail(status: nil, retryAfter: nil, at: now, random: 1) }
    #expect(schedule.secondsLeft(at: now) == 300)
  }

  @Test func whatTheServerAsksForIsTheLeast() {
    for (asked, least, most) in [(120, 120, 132), (1, 1, 2), (0, 1, 2), (86_400 * 30, 3_600, 3_602), (-5, 1, 2)] {
      for random in [0, 0.5, 0.999] {
        var schedule = Self.schedule(Self.signIn())
        schedule.fail(status: 429, retryAfter: asked, at: Self.start, random: random)
        let left = schedule.secondsLeft(at: Self.start) ?? 0
        #expect((Int64(least)...Int64(most)).contains(left), "Retry-After \(asked): \(left)")
      }
    }
  }

  /// A gateway answers 500 to a refresh token that is no longer good, for ever.
  @Test func endlessUnexplainedErrorsEndInAskingForASignIn() {
    var schedule = Self.schedule(Self.signIn())
    for number in 1...10 {
      #expect(schedule.step(at: Self.later(100_000)) == .refresh, "try \(number)")
      schedule.fail(status: 500, retryAfter: nil, at: Self.start, random: 0.5)
      // What passes by itself neither counts nor starts the count anew.
      for status in [502, 503, 504, 429, nil] {
        schedule.fail(status: status, retryAfter: nil, at: Self.start, random: 0)
      }
    }
    #expect(schedule.step(at: Self.later(100_000)) == .askForSignIn)
    schedule.learn(Self.signIn(session: 90_000), isNew: true, at: Self.start)
    #expect(schedule.serverErrors == 0 && schedule.failures == 0, "a new session starts the count anew")
  }

  @Test func troubleThatPassesIsTriedForEver() {
    var schedule = Self.schedule(Self.signIn())
    for _ in 0..<10_000 { schedule.fail(status: 503, retryAfter: nil, at: Self.start, random: 0.5) }
    #expect(schedule.step(at: Self.later(100_000)) == .refresh)
  }

  /// A provider that returns no ID token at a refresh leaves the old one, which has ended: only the session counts then.
  @Test func aTokenThatIsNotRenewedDoesNotAskForAnotherRefresh() {
    var schedule = Self.schedule(Self.signIn(session: 1_000, token: 400))
    #expect(schedule.step(at: Self.later(100)) == .refresh)
    schedule.learn(Self.signIn(session: 9_000, token: 400), isNew: true, at: Self.later(100))
    #expect(schedule.secondsLeft(at: Self.later(100)) == 8_600)
    schedule.learn(Self.signIn(session: 9_000, token: 4_000), isNew: true, at: Self.later(100))
    #expect(schedule.secondsLeft(at: Self.later(100)) == 3_600)
  }

  @Test func aSessionShorterThanTheSkewIsNotRefreshedWithoutEnd() {
    let schedule = Self.schedule(Self.signIn(session: 65), isNew: true)
    #expect(schedule.secondsLeft(at: Self.start) == 30)
    #expect(Self.schedule(Self.signIn(session: 65)).step(at: Self.start) == .refresh, "one that was found is")
  }

  @Test func aClockThatWasSetShortensAWait() {
    var schedule = Self.schedule(Self.signIn())
    schedule.fail(status: 503, retryAfter: 3_000, at: Self.start, random: 0)
    schedule.clockWasSet(at: Self.start, random: 0.9)
    #expect((1...3).contains(schedule.secondsLeft(at: Self.start) ?? 0))
  }

  @Test func noTimeIsTooLarge() {
    for end in [Int64.min, -1, 0, 1, Int64.max] {
      for wall in [Int64.min, 0, Int64.max] {
        for elapsed in [Int64(0), Int64(Int32.max)] {
          let now = ClockReading(wall: Timestamp(seconds: wall), elapsed: elapsed)
          var schedule = RefreshSchedule(skew: 86_400)
          let signIn = SignIn(id: "a", hasSession: true, sessionExpiresAt: Timestamp(seconds: end), canRefresh: true)
          for isNew in [true, false] { schedule.learn(signIn, isNew: isNew, at: now) }
          _ = schedule.secondsLeft(at: now)
          schedule.fail(status: 500, retryAfter: .max, at: now, random: .infinity)
          schedule.fail(status: 500, retryAfter: .min, at: now, random: -1)
          schedule.clockWasSet(at: now, random: 2)
          _ = schedule.secondsLeft(at: now)
        }
      }
    }
  }

  // MARK: every sequence

  enum Happening: CaseIterable {
    case passes, sleeps, setAhead, setBack, found, dropped, renewed, otherSignIn, failed500, failed503, failed429, busy
  }

  struct Point: Hashable {
    var schedule: RefreshSchedule
    var now: ClockReading
    /// Refreshes that were run, and what allows one: a deadline, a wait that is over, a session that is gone.
    var earliestRetry: Int64?
  }

  static func step(_ point: Point, _ happening: Happening) -> Point {
    var next = point
    func session(_ id: String, _ seconds: Int64) -> SignIn {
      SignIn(
        id: id, hasSession: true, sessionExpiresAt: next.now.wall.advanced(by: seconds),
        idTokenExpiresAt: next.now.wall.advanced(by: seconds * 2), canRefresh: true)
    }
    switch happening {
    case .passes: next.now = ClockReading(wall: next.now.wall.advanced(by: 400), elapsed: next.now.elapsed + 400)
    case .sleeps: next.now = ClockReading(wall: next.now.wall.advanced(by: 90_000), elapsed: next.now.elapsed + 90_000)
    case .setAhead:
      next.now.wall = next.now.wall.advanced(by: 86_400)
      next.schedule.clockWasSet(at: next.now, random: 0.5)
      next.earliestRetry = nil
    case .setBack:
      next.now.wall = next.now.wall.advanced(by: -86_400)
      next.schedule.clockWasSet(at: next.now, random: 0.5)
      next.earliestRetry = nil
    case .found: next.schedule.learn(session("a", 600), isNew: false, at: next.now)
    case .dropped:
      let dropped = SignIn(id: "a", hasSession: false, sessionExpiresAt: nil, canRefresh: true)
      next.schedule.learn(dropped, isNew: false, at: next.now)
    case .renewed:
      next.schedule.learn(session("a", 600), isNew: true, at: next.now)
      next.earliestRetry = next.now.elapsed + SignIn.restoreMargin
    case .otherSignIn:
      next.schedule.learn(session("b", 1_200), isNew: false, at: next.now)
      next.earliestRetry = nil
    case .failed500: next.schedule.fail(status: 500, retryAfter: nil, at: next.now, random: 0.5)
    case .failed503: next.schedule.fail(status: 503, retryAfter: nil, at: next.now, random: 0)
    case .failed429: next.schedule.fail(status: 429, retryAfter: 60, at: next.now, random: 0.5)
    case .busy: next.schedule.yield(at: next.now)
    }
    switch happening {
    case .failed500, .failed503: next.earliestRetry = next.now.elapsed + 1
    case .failed429: next.earliestRetry = next.now.elapsed + 60
    case .busy: next.earliestRetry = next.now.elapsed + 1
    case .dropped: next.earliestRetry = next.schedule.failures > 0 ? next.earliestRetry : nil
    default: break
    }
    return next
  }

  /// Twelve happenings, every sequence of up to six: no failure is followed by a refresh at once, and there is always a
  /// moment at which something is done, or a person is asked.
  @Test func everySequenceUpToSixKeepsItsPromises() {
    let limits = {
      var limits = RefreshSchedule.Limits()
      limits.serverErrors = 3
      return limits
    }()
    var first = RefreshSchedule(skew: 300, limits: limits)
    first.learn(Self.signIn(session: 600), isNew: false, at: Self.start)
    var seen: Set<Point> = [Point(schedule: first, now: Self.start, earliestRetry: nil)]
    var frontier = seen
    var steps = 0
    for _ in 0..<6 {
      var reached: Set<Point> = []
      for point in frontier {
        for happening in Happening.allCases {
          let next = Self.step(point, happening)
          steps += 1
          switch next.schedule.step(at: next.now) {
          case .refresh:
            if let earliest = next.earliestRetry, next.now.elapsed < earliest {
              Issue.record("a refresh \(earliest - next.now.elapsed) s too early after \(happening)")
            }
          case .askForSignIn: #expect(next.schedule.serverErrors >= 3)
          case .wait(let wall, let elapsed):
            #expect(wall != nil || elapsed != nil, "nothing would ever happen after \(happening)")
            if let elapsed {
              #expect(next.schedule.step(at: ClockReading(wall: next.now.wall, elapsed: elapsed)) == .refresh)
            }
          }
          if seen.insert(next).inserted { reached.insert(next) }
        }
      }
      frontier = reached
    }
    #expect(steps > 100_000, "\(steps)")
  }
}
