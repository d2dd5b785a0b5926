import BackendStore
import Basics
import Glibc
import HTTPTestSupport
import TestSupport
import Testing

/// Each race is run 50 times over sockets, or `MFS_RACE_ROUNDS` times. Afterwards at most one refresh token of a family is live, and what one alone may get,
/// exactly one got.
@Suite("Races")
struct RaceTests {
  static let rounds = raceRounds(50)

  /// Answers of the token endpoint: with tokens, or `invalid_grant` and nothing else.
  private func tokens(_ answers: [RawResponse], _ place: SourceLocation = #_sourceLocation) throws -> [Tokens] {
    let good = answers.filter { $0.status == 200 }
    #expect(
      answers.allSatisfy { $0.status == 200 || $0.status == 400 && $0.error == "invalid_grant" }, sourceLocation: place)
    return try good.map { try Tokens($0) }
  }

  @Test("50 refreshes of one token at once: one is rotated, and the others end the family")
  func refreshes() throws {
    let fixture = try BackendFixture(workers: 64)
    for _ in 0..<RaceTests.rounds {
      // Of one user only so many alerts are told in a minute.
      fixture.clock.advance(by: 60)
      let first = try fixture.signIn()
      let good = try tokens(inParallel(50) { _ in try fixture.refresh(first.refresh) })
      #expect(good.count == 1)
      #expect(try fixture.live([first.refresh] + good.map(\.refresh)) == [])
      #expect(try fixture.store.family(id: first.sid)?.end == .replay)
      #expect(try fixture.store.family(id: first.sid)?.generation == 1)
    }
    #expect(fixture.events.alerts.count == RaceTests.rounds, "one alert for each family, not for each replay")
  }

  @Test("50 refreshes of one token at once, with grace: all get the one successor")
  func refreshesWithGrace() throws {
    let fixture = try BackendFixture(workers: 64), asked = Asked("bound").with("device_id", "dev-1")
    for _ in 0..<RaceTests.rounds {
      let first = try fixture.signIn(asked)
      let good = try tokens(
        inParallel(50) { _ in try fixture.refresh(first.refresh, client: "bound", device: "dev-1") })
      #expect(good.count == 50)
      let successors = Set(good.map(\.refresh))
      #expect(successors.count == 1)
      #expect(try fixture.live([first.refresh] + successors) == Array(successors))
      #expect(try fixture.store.family(id: first.sid)?.generation == 1)
    }
    #expect(fixture.events.alerts.isEmpty)
  }

  @Test("a replay against a rotation: the family is dead, whoever was first")
  func replayAgainstRotation() throws {
    let fixture = try BackendFixture()
    var winners: [Int: Int] = [:], rounds = 0
    // Each has a start of up to two milliseconds in its turn, so that both orders come; where few rounds are asked for, there are more
    // until both have come.
    while rounds < RaceTests.rounds || winners.count < 2 && rounds < RaceTests.rounds + 200 {
      // Of one user only so many alerts are told in a minute.
      fixture.clock.advance(by: 60)
      let first = try fixture.signIn(), second = try Tokens(fixture.refresh(first.refresh)), round = rounds
      rounds += 1
      let answers = try inParallel(2) { number in
        if number == round % 2 { usleep(UInt32(round / 2 % 9) * 250) }
        return try fixture.refresh(number == 0 ? first.refresh : second.refresh)
      }
      #expect(answers[0].status == 400)
      let good = try tokens(answers)
      winners[good.count, default: 0] += 1
      #expect(good.count <= 1)
      #expect(try fixture.live([first.refresh, second.refresh] + good.map(\.refresh)) == [])
      #expect(try fixture.store.family(id: first.sid)?.end == .replay)
      for one in good { #expect(try fixture.userInfo(one.access).status == 401) }
    }
    #expect(fixture.events.alerts.count == rounds)
    #expect(Set(winners.keys) == [0, 1], "either was first: \(winners)")
  }

  @Test("a revocation against a rotation: the family is dead, whoever was first")
  func revokeAgainstRotation() throws {
    let fixture = try BackendFixture()
    var winners: [Int: Int] = [:], rounds = 0
    // As above: either is begun later in its turn, until both orders have come.
    while rounds < RaceTests.rounds || winners.count < 2 && rounds < RaceTests.rounds + 200 {
      let first = try fixture.signIn(), round = rounds
      rounds += 1
      let answers = try inParallel(2) { number in
        if number == round % 2 { usleep(UInt32(round / 2 % 9) * 250) }
        return try number == 0 ? fixture.revoke(first.refresh) : fixture.refresh(first.refresh)
      }
      #expect(answers[0].status == 200)
      let good = try tokens([answers[1]])
      winners[good.count, default: 0] += 1
      #expect(try fixture.live([first.refresh] + good.map(\.refresh)) == [])
      #expect(try fixture.store.family(id: first.sid)?.end == .revoked)
      for one in good { #expect(try fixture.userInfo(one.access).status == 401) }
    }
    #expect(fixture.events.alerts.isEmpty)
    #expect(Set(winners.keys) == [0, 1], "either was first: \(winners)")
  }

  @Test("20 redemptions of one code at once: one is given tokens, and no family outlives it")
  func redemptions() throws {
    let fixture = try BackendFixture(workers: 24), browser = Browser(fixture)
    _ = try browser.authorize(Asked())
    for _ in 0..<RaceTests.rounds {
      let code = try fixture.code(in: browser)
      let good = try tokens(inParallel(20) { _ in try fixture.redeem(code) })
      #expect(good.count == 1)
      #expect(try fixture.live(good.map(\.refresh)) == [])
      for one in good { #expect(try fixture.userInfo(one.access).status == 401) }
    }
    let live = try fixture.store.liveFamilies(user: nil, device: nil, now: fixture.clock.now, limit: 1_000)
    #expect(live == [])
  }

  @Test("a sign-out of all devices against sign-ins and rotations leaves no live token of before it")
  func logoutAgainstRotation() throws {
    let fixture = try BackendFixture()
    for _ in 0..<RaceTests.rounds {
      let (one, two) = (try fixture.signIn(), try fixture.signIn())
      let answers = try inParallel(2) { number in
        number == 0
          ? try fixture.post("/oauth/logout", [("all", "true")], headers: ["Authorization: Bearer \(one.access)"])
          : try fixture.refresh(two.refresh)
      }
      #expect(answers[0].status == 204)
      let good = try tokens([answers[1]])
      #expect(try fixture.live([one.refresh, two.refresh] + good.map(\.refresh)) == [])
    }
  }

  @Test("two servers on one database: of the refreshes of one token at both, one is rotated")
  func twoServers() throws {
    let one = try BackendFixture(workers: 16), two = try BackendFixture(workers: 16, after: (one, one.folder))
    for _ in 0..<RaceTests.rounds {
      // Of one user only so many alerts are told in a minute.
      one.clock.advance(by: 60)
      let first = try one.signIn()
      let good = try tokens(inParallel(10) { try ($0 % 2 == 0 ? one : two).refresh(first.refresh) })
      #expect(good.count == 1)
      #expect(try two.live([first.refresh] + good.map(\.refresh)) == [])
      #expect(try two.store.family(id: first.sid)?.generation == 1)
      // Both sign with the same key, and both know at once what is denied.
      for fixture in [one, two] { for token in good { #expect(try fixture.userInfo(token.access).status == 401) } }
    }
    #expect(one.events.alerts.count + two.events.alerts.count == RaceTests.rounds)
  }
}
