import Basics
import Foundation
import StrategyHost
import TestSupport
import Testing
import Vault

@testable import Session

/// A watch on a vault in memory, with clocks that stand, told what to do step by step.
final class WatchFixture {
  let fixture = Fixture()
  var strategies: any StrategyRunning = ScriptedStrategies.never()
  var elapsed: Int64 = 5_000
  var events: [WatchEvent] = []
  var decided: [SessionDecision] = []
  lazy var watch = SessionWatch(
    skew: 300,
    service: { [unowned self] () throws(Failure) in
      do { return try fixture.service(strategies) } catch {
        throw error as? Failure ?? Failure(.bug, "\(error)")
      }
    },
    clock: { [unowned self] in ClockReading(wall: fixture.now, elapsed: elapsed) }, random: { 0.5 },
    onDecision: { [unowned self] in decided.append($0) }, onEvent: { [unowned self] in events.append($0) })

  func pass(_ seconds: Int64) {
    fixture.now = fixture.now.advanced(by: seconds)
    elapsed += seconds
  }

  /// What was told since the last call, as `kind reason`.
  func told() -> [String] {
    defer { events = [] }
    return events.map { "\($0.kind.rawValue) \($0.reason ?? "")" }
  }
}

@Suite struct SessionWatchTests {
  private func renewing(_ text: String = Canary.refreshed, by seconds: Int64 = 30_000) -> ScriptedStrategies {
    ScriptedStrategies { _, _ throws(Failure) in
      try cookie(text, until: Fixture.end.advanced(by: seconds), identifier: nil, password: nil)
    }
  }

  @Test func aCredentialIsToldOnceAndRefreshedInTime() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    try it.watch.look()
    try it.watch.work()
    #expect(it.told() == ["credential found"])
    #expect(it.watch.wake.wall == Fixture.end.advanced(by: -300))
    let strategies = renewing()
    it.strategies = strategies
    it.pass(21_300)
    try it.watch.work()
    try it.watch.work()
    #expect(it.told() == ["credential refreshed"] && strategies.operations == [.refresh])
    #expect(it.watch.secondsToRefresh == 30_000)
  }

  @Test func whatOthersDoIsSeen() throws {
    let it = WatchFixture()
    try it.watch.look()
    #expect(it.told() == ["signedOut found"] && it.watch.needsSignIn?.code == .signInNeeded)
    try it.fixture.signIn()
    try it.watch.look()
    #expect(it.told() == ["credential signed-in-elsewhere"] && it.watch.needsSignIn == nil)
    _ = try it.fixture.service(renewing()).refresh()
    try it.watch.look()
    #expect(it.told() == ["credential refreshed-elsewhere"])
    it.fixture.store.set("mfs.dbkey.other", "x")
    try it.watch.look()
    #expect(it.told() == [], "another value of the vault is no news")
    try it.fixture.signIn()
    try it.watch.look()
    #expect(it.told() == ["credential signed-in-elsewhere"], "another sign-in is another credential")
    _ = try it.fixture.logOut(Fixture.failing(.network), wipe: true)
    try it.watch.look()
    try it.watch.look()
    #expect(it.told() == ["signedOut logout"] && it.watch.needsSignIn != nil)
  }

  @Test func settingsThatNameAnotherPlaceAskForASignIn() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    it.fixture.settings["EXPO_PUBLIC_SG_DB"] = "other"
    try it.watch.look()
    #expect(it.told() == ["credential found", "signInNeeded settingsChanged"])
  }

  @Test func troubleIsToldWaitedForAndOver() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    it.pass(21_300)
    it.strategies = ScriptedStrategies { _, _ throws(Failure) in
      .failure(StrategyFailure(.server, "busy", status: 503, retryAfter: 40))
    }
    try it.watch.work()
    try it.watch.work()
    #expect(it.told() == ["credential found", "retry session.network"])
    #expect((40...44).contains(it.watch.secondsToRefresh ?? 0))
    let line = try #require(it.decided.first)
    #expect(line.event == "watchRetry" && line.reason?.contains("next try in 4") == true && line.state == "signedIn")
    it.strategies = Fixture.failing(.network)
    it.pass(44)
    try it.watch.work()
    it.pass(600)
    try it.watch.work()
    #expect(it.told() == ["retry session.network", "offline expired", "retry session.network"])
    #expect(it.watch.needsSignIn == nil, "a server that is away is no sign-out")
    it.strategies = renewing()
    it.pass(301)
    try it.watch.work()
    #expect(it.told() == ["credential refreshed"])
  }

  @Test func aRejectedRefreshAsksForASignInAndKeepsTheRest() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    it.pass(21_300)
    it.strategies = Fixture.failing(.badCredentials, status: 401)
    try it.watch.work()
    #expect(it.told() == ["credential found", "signInNeeded rejected"])
    #expect(it.watch.needsSignIn?.code == .signInNeeded)
    #expect(it.fixture.store.text("mfs.dbkey.main") == Canary.databaseKey)
    try it.watch.work()
    #expect(it.told() == [], "nothing is tried until somebody signs in")
  }

  /// Server errors without a reason, for ever: asked for a sign-in at the tenth, and the credentials are as they were.
  @Test func endlessServerErrorsAreNotALogout() throws {
    let it = WatchFixture()
    try it.fixture.signIn(until: Fixture.end.advanced(by: 86_400))
    try it.watch.look()
    let before = it.fixture.store.values
    let strategies = Fixture.failing(.server, status: 500)
    it.strategies = strategies
    it.pass(21_600 + 86_400 - 300)
    for _ in 0..<40 {
      try it.watch.work()
      it.pass(301)
    }
    #expect(strategies.calls.count == 10)
    #expect(it.told().last == "signInNeeded server-errors" && it.watch.needsSignIn?.code == .signInNeeded)
    #expect(it.fixture.store.values == before)
    _ = try it.fixture.service(renewing(by: 500_000)).refresh()
    try it.watch.look()
    #expect(it.told() == ["credential refreshed-elsewhere"] && it.watch.needsSignIn == nil)
  }

  /// The provider's half succeeds each time and the gateway's fails: the count goes on all the same.
  @Test func aTokenThatIsStoredEarlyStartsNoCountAnew() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    it.pass(21_300)
    var number = 0
    it.strategies = ScriptedStrategies { _, services throws(Failure) in
      number += 1
      _ = try services.store([
        ("auth.refreshToken", try secret("token\(number)")), ("auth.idToken", try secret("id\(number)")),
      ])
      return .failure(StrategyFailure(.server, "no", status: 500))
    }
    for _ in 0..<20 {
      try it.watch.work()
      it.pass(301)
    }
    #expect(number == 10)
    #expect(it.told().filter { $0.hasPrefix("credential") } == ["credential found"])
  }

  @Test func aPersonIsAskedWhenTheStrategyNeedsOne() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    it.pass(21_300)
    it.strategies = Fixture.failing(.interactionNeeded)
    try it.watch.work()
    #expect(it.told() == ["credential found", "signInNeeded interactionNeeded"])
    #expect(it.watch.needsSignIn != nil)
  }

  @Test func aSessionThatNothingRenewsIsWatchedToItsEnd() throws {
    let it = WatchFixture()
    try it.fixture.signIn(password: nil)
    try it.watch.look()
    #expect(it.watch.wake.wall == Fixture.end.advanced(by: -30) && it.watch.secondsToRefresh == nil)
    it.pass(21_570)
    try it.watch.work()
    try it.watch.look()
    #expect(it.told() == ["credential found", "signInNeeded expired"])
  }

  @Test func aDemoHasNothingToRefresh() throws {
    let it = WatchFixture()
    it.fixture.settings = ["EXPO_PUBLIC_AUTH_STRATEGY": "demo"]
    let strategies = ScriptedStrategies { _, _ throws(Failure) in
      .success(["session": .text("none"), "identifier": .text("ada")])
    }
    _ = try it.fixture.service(strategies).login(identifier: "ada", prompter: ScriptedPrompter([:]))
    try it.watch.look()
    it.pass(10_000_000)
    try it.watch.work()
    try it.watch.look()
    #expect(it.told() == ["credential found"] && it.watch.wake.wall == nil && it.watch.wake.elapsed == nil)
  }

  /// A session too short to be used is trouble of the server's, met with growing waits.
  @Test func sessionsThatAreTooShortAreNotFetchedWithoutEnd() throws {
    let it = WatchFixture()
    try it.fixture.signIn()
    try it.watch.look()
    it.pass(21_300)
    let strategies = ScriptedStrategies { [unowned it] _, _ throws(Failure) in
      try cookie("short\(it.elapsed)", until: it.fixture.now.advanced(by: 20), identifier: nil, password: nil)
    }
    it.strategies = strategies
    for _ in 0..<600 {
      try it.watch.work()
      it.pass(1)
    }
    #expect((4...20).contains(strategies.calls.count), "\(strategies.calls.count) refreshes in ten minutes")
  }

  /// Nothing of what a refresh needed stays behind it.
  @Test func itsMemoryDoesNotGrow() throws {
    let sandbox = try Sandbox()
    let result = try run(
      [Programs.buildFolder + "/watch-probe", sandbox("state"), "500", "3000"], in: sandbox, seconds: 120)
    let numbers = result.text.split { !$0.isNumber }.compactMap { Int($0) }
    try #require(result.status == 0 && numbers.count == 2, "\(result.text)\(result.errorText)")
    #expect(numbers[1] - numbers[0] <= 1_024, "\(numbers[1] - numbers[0]) KiB more after 2,500 refreshes")
  }
}
