import Basics
import Session
import Testing

@Suite struct MachineTests {
  let now = Timestamp(seconds: 1_000_000)

  func machine(_ stored: StoredSession, skew: Int64 = 300) -> SessionMachine {
    var machine = SessionMachine(skew: skew)
    #expect(machine.handle(.loaded(stored), now: now) == [])
    return machine
  }

  func signIn(in seconds: Int64?, canRefresh: Bool = true, idToken: Int64? = nil) -> SignIn {
    SignIn(
      id: "a", hasSession: true, sessionExpiresAt: seconds.map { now.advanced(by: $0) },
      idTokenExpiresAt: idToken.map { now.advanced(by: $0) }, canRefresh: canRefresh)
  }

  @Test func restoreNeedsMoreThanTheMargin() {
    #expect(machine(.signIn(signIn(in: 31))).state == .signedIn(signIn(in: 31)))
    #expect(machine(.signIn(signIn(in: 30))).state == .offline(signIn(in: 30)))
    #expect(machine(.signIn(signIn(in: 30, canRefresh: false))).state == .signInNeeded(.expired))
    var nearEnd = machine(.signIn(signIn(in: 30)))
    guard case .runRefresh? = nearEnd.handle(.restoreRequested, now: now).first else {
      Issue.record("a session within the margin must be refreshed")
      return
    }
  }

  @Test func aSessionWithinTheSkewIsRestoredAndItsRefreshIsDue() {
    var machine = machine(.signIn(signIn(in: 200)))
    let effects = machine.handle(.restoreRequested, now: now)
    #expect(effects == [.startReplicator, .scheduleRefresh(at: now.advanced(by: 30)), .conclude(.signedIn)])
  }

  @Test func refreshIsDueBeforeWhateverEndsFirst() {
    #expect(signIn(in: 7_200).refreshAt(skew: 300) == now.advanced(by: 6_900))
    #expect(signIn(in: 7_200, idToken: 3_600).refreshAt(skew: 300) == now.advanced(by: 3_300))
    #expect(signIn(in: nil).refreshAt(skew: 300) == nil)
    #expect(signIn(in: 7_200, canRefresh: false).refreshAt(skew: 300) == nil)
  }

  @Test func aSessionOfUnknownEndIsUsedUntilItIsRejected() {
    #expect(machine(.signIn(signIn(in: nil))).state == .signedIn(signIn(in: nil)))
  }

  @Test(arguments: [401, 404, 10_401, 10_404]) func aRejectedSessionStopsAndRefreshesOnce(_ number: Int) {
    var machine = machine(.signIn(signIn(in: 3_600)))
    let effects = machine.handle(.replicatorFailed(ReplicatorCode(number)), now: now)
    #expect(
      effects == [.stopReplicator, .cancelScheduledRefresh, .runRefresh(attempt: 1, signIn: signIn(in: 3_600))])
    // While it runs, the replicator's next error starts no other.
    #expect(machine.handle(.replicatorFailed(ReplicatorCode(number)), now: now) == [.stopReplicator])
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 10_500, 10_503, 10_429, 5_001, 11_006])
  func passingTroubleChangesNothing(_ number: Int) {
    var machine = machine(.signIn(signIn(in: 3_600)))
    let before = machine
    let code = ReplicatorCode(number)
    #expect(code.meaning == .passing)
    #expect(machine.handle(.replicatorFailed(code), now: now) == [.conclude(.unaffected(code))])
    #expect(machine == before)
  }

  @Test(arguments: [400, 403, 407, 10_403, 10_426, 20_401, 7, 0, -1, 11_008])
  func otherCodesAreNoFailureOfCredentials(_ number: Int) {
    #expect(ReplicatorCode(number).meaning == .other)
  }

  @Test func aRefusedRefreshClearsAndAnUnreachedOneDropsOnlyTheSession() {
    var refused = machine(.signIn(signIn(in: 3_600)))
    _ = refused.handle(.replicatorFailed(ReplicatorCode(401)), now: now)
    var unreached = refused
    #expect(
      refused.handle(.refreshFailed(attempt: 1, .credentialsRejected), now: now) == [
        .stopReplicator, .cancelScheduledRefresh, .clearCredentials(signInId: "a"), .conclude(.signInNeeded(.rejected)),
      ])
    #expect(
      unreached.handle(.refreshFailed(attempt: 1, .unreachable), now: now) == [
        .dropSession(signInId: "a"), .conclude(.offline(.unreachable)),
      ])
    guard case .offline(let left) = unreached.state else {
      Issue.record("not offline: \(unreached.state)")
      return
    }
    #expect(!left.hasSession && left.canRefresh)
  }

  @Test func troubleOfARefreshThatWasAskedForKeepsTheSession() {
    for trouble in [Trouble.unreachable, .server, .refused, .settings, .cancelled, .pluginFailed, .pluginRefused] {
      var machine = machine(.signIn(signIn(in: 3_600)))
      _ = machine.handle(.refreshRequested, now: now)
      #expect(machine.handle(.refreshFailed(attempt: 1, trouble), now: now) == [.conclude(.refreshFailed(trouble))])
      #expect(machine.state == .signedIn(signIn(in: 3_600)))
    }
  }

  @Test func aLateRefreshIsDiscardedAfterLogoutAndAfterANewSignIn() {
    var machine = machine(.signIn(signIn(in: 3_600)))
    _ = machine.handle(.refreshRequested, now: now)
    _ = machine.handle(.logoutRequested(wipe: false), now: now)
    #expect(machine.handle(.refreshSucceeded(attempt: 1), now: now) == [.discard(attempt: 1)])
    _ = machine.handle(.loginRequested, now: now)
    #expect(machine.handle(.refreshSucceeded(attempt: 1), now: now) == [.discard(attempt: 1)])
    #expect(machine.handle(.loginSucceeded(attempt: 2), now: now) == [.commitSignIn(attempt: 2)])
  }

  @Test func logoutRemovesBeforeItTells() {
    var machine = machine(.signIn(signIn(in: 3_600)))
    let effects = machine.handle(.logoutRequested(wipe: false), now: now)
    let removes = effects.firstIndex(of: .removeCredentials), tells = effects.firstIndex(of: .tellServer)
    #expect(removes != nil && tells != nil && (removes ?? 9) < (tells ?? 0))
  }

  @Test func demoIsNeverRefreshedNorStopped() {
    let demo = SignIn(id: "d", isLocal: true, hasSession: false, sessionExpiresAt: nil, canRefresh: false)
    var machine = machine(.signIn(demo))
    #expect(machine.handle(.restoreRequested, now: now) == [.conclude(.signedIn)])
    #expect(machine.handle(.refreshRequested, now: now) == [.conclude(.signedIn)])
    #expect(
      machine.handle(.replicatorFailed(ReplicatorCode(401)), now: now)
        == [.conclude(.unaffected(ReplicatorCode(401)))])
  }

  @Test func extremeTimesDoNotOverflow() {
    for seconds in [Int64.min, Int64.max] {
      let edge = SignIn(
        id: "a", hasSession: true, sessionExpiresAt: Timestamp(seconds: seconds), canRefresh: true)
      for now in [Timestamp(seconds: .min), Timestamp(seconds: .max), now] {
        var machine = SessionMachine(skew: 86_400)
        _ = machine.handle(.loaded(.signIn(edge)), now: now)
        _ = machine.handle(.restoreRequested, now: now)
      }
    }
  }
}
