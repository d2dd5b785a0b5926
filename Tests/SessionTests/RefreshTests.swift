import Basics
import SecureMemory
import Session
import StrategyHost
import Testing

@Suite struct RefreshTests {
  static func renewing() -> ScriptedStrategies {
    ScriptedStrategies { _, _ throws(Failure) in
      try cookie(Canary.refreshed, until: Fixture.end.advanced(by: 3_600), identifier: nil, password: nil)
    }
  }

  @Test func restoreOfALiveSessionAsksNobody() throws {
    let fixture = Fixture()
    try fixture.signIn(until: Fixture.now.advanced(by: 31))
    let report = try fixture.service(ScriptedStrategies.never()).restore()
    #expect(report.failure == nil && report.status.state == .signedIn)
    #expect(fixture.store.commits == 1)
  }

  @Test func restoreWithinTheMarginRefreshes() throws {
    let fixture = Fixture()
    try fixture.signIn(until: Fixture.now.advanced(by: 30))
    let strategies = RefreshTests.renewing()
    let report = try fixture.service(strategies).restore()
    #expect(report.failure == nil && report.status.state == .signedIn)
    #expect(strategies.operations == [.refresh])
    #expect(fixture.store.text("auth.sessionId") == Canary.refreshed)
    #expect(fixture.store.text("auth.password") == Canary.password, "what was not brought anew stays")
    #expect(fixture.store.text("auth.identifier") == "alice")
  }

  @Test func theStrategyIsToldWhoAndMayNotAsk() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = ScriptedStrategies { call, services throws(Failure) in
      #expect(call.identifier == "alice")
      #expect(try services.vaultValue("auth.password")?.publicText() == Canary.password)
      _ = try services.answer(StrategyPrompt(text: "Password", isSecret: true))
      return .success([:])
    }
    let report = try fixture.service(strategies).refresh()
    #expect(report.failure?.code == .signInNeeded)
    #expect(report.status.state == .signedIn, "the session itself is still good")
  }

  @Test func offlineStartIsNotALogout() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let before = fixture.store.values
    fixture.now = Fixture.end.advanced(by: 60)
    for reason in [StrategyFailure.Reason.network, .server, .protocolViolation] {
      let report = try fixture.service(Fixture.failing(reason, status: 503)).restore()
      #expect(report.failure?.code.exit == .network)
      #expect(report.status.state == .offline)
      #expect(report.status.identifier == "alice")
    }
    #expect(fixture.store.values == before)
  }

  static let trouble: [(StrategyFailure.Reason, Int32)] = [
    (.network, 62), (.server, 62), (.protocolViolation, 62), (.refused, 63), (.badSettings, 3), (.denied, 64),
    (.internal, 65), (.cancelled, 130),
  ]

  @Test(arguments: trouble) func troubleKeepsTheSession(_ reason: StrategyFailure.Reason, _ exit: Int32) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let before = fixture.store.values
    let report = try fixture.service(Fixture.failing(reason)).refresh()
    #expect(report.failure?.code.exit.rawValue == exit)
    #expect(report.status.state == .signedIn)
    #expect(fixture.store.values == before)
  }

  @Test(arguments: trouble)
  func aRejectedSessionThatCannotBeRenewedIsDroppedAlone(_ reason: StrategyFailure.Reason, _ exit: Int32) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let before = fixture.store.values
    let report = try fixture.service(Fixture.failing(reason)).replicatorFailed(ReplicatorCode(10_401))
    #expect(report.failure?.code.exit.rawValue == exit)
    #expect(report.status.state == .offline)
    let removed = Set(before.keys).subtracting(fixture.store.values.keys)
    #expect(removed == ["auth.sessionId", "auth.sessionExpiresAt"])
    // The next try succeeds with what was kept.
    let again = try fixture.service(RefreshTests.renewing()).restore()
    #expect(again.failure == nil && again.status.state == .signedIn)
  }

  @Test(arguments: [401, 404, 10_401, 10_404]) func aRefusedRefreshClearsTheCredentials(_ code: Int) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = Fixture.failing(.badCredentials, status: 401)
    let report = try fixture.service(strategies).replicatorFailed(ReplicatorCode(code))
    #expect(report.failure?.code.exit == .signInNeeded)
    #expect(report.failure?.message == "Sign in to sync.")
    #expect(report.status.state == .signInNeeded)
    #expect(strategies.operations == [.refresh], "one refresh, no more")
    #expect(fixture.authNames == ["auth.strategy", "auth.binding", "auth.identifier"])
    #expect(fixture.store.text("mfs.dbkey.main") == Canary.databaseKey)
    #expect(fixture.store.text("mfs.deviceId") != nil)
    // It is asked for once more by nobody, and greets the user by name.
    let after = try fixture.service(ScriptedStrategies.never()).status()
    #expect(after.state == .signInNeeded && after.identifier == "alice" && after.strategy == "basic")
  }

  @Test func aRefreshThatIsRefusedClearsThePasswordToo() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let report = try fixture.service(Fixture.failing(.badCredentials)).refresh()
    #expect(report.failure?.code.exit == .signInNeeded)
    #expect(fixture.store.text("auth.password") == nil && fixture.store.text("auth.sessionId") == nil)
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504, 10_503, 400, 403, 10_403])
  func otherCodesChangeNothingAndSaySo(_ code: Int) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let before = fixture.store.values
    let report = try fixture.service(ScriptedStrategies.never()).replicatorFailed(ReplicatorCode(code))
    #expect(report.failure == nil)
    #expect(report.note?.contains("nothing was changed") == true)
    #expect(report.status.state == .signedIn)
    #expect(fixture.store.values == before)
  }

  /// LiteCore retries these itself, or stops at them although they pass; only then somebody has to start it again.
  @Test(arguments: [
    (408, false), (425, true), (429, false), (500, true), (501, true), (502, false), (503, false), (504, false),
    (520, true), (10_425, true), (10_429, false), (10_500, true), (10_501, true), (10_503, false), (10_526, true),
    (11_001, true), (11_006, false), (14_001, false), (14_002, false), (5_003, false), (5_019, false), (403, false),
    (10_403, false), (10_400, false),
  ])
  func aReplicatorThatStopsAtWhatPassesIsStartedAgain(_ code: Int, restarts: Bool) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let report = try fixture.service(ScriptedStrategies.never()).replicatorFailed(ReplicatorCode(code))
    #expect(report.failure == nil && report.restartsReplicator == restarts)
    #expect((report.note?.contains("start it again") == true) == restarts)
  }

  @Test func aReplicatorIsRebuiltWithARenewedCredentialOnly() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let renewing = ScriptedStrategies { _, _ throws(Failure) in
      try cookie("another-session", until: Fixture.end, password: Canary.password)
    }
    #expect(try fixture.service(renewing).replicatorFailed(ReplicatorCode(10_401)).restartsReplicator)
    #expect(try !fixture.service(Fixture.failing(.network)).replicatorFailed(ReplicatorCode(10_401)).restartsReplicator)
    #expect(
      try !fixture.service(Fixture.failing(.badCredentials)).replicatorFailed(ReplicatorCode(401)).restartsReplicator)
  }

  @Test func nothingToRefreshWithIsASignInNeeded() throws {
    let fixture = Fixture()
    try fixture.signIn(password: nil)
    let never = ScriptedStrategies.never()
    let report = try fixture.service(never).refresh()
    #expect(report.failure?.code == .signInNeeded && report.status.state == .signedIn)
    fixture.now = Fixture.end
    #expect(try fixture.service(never).restore().status.state == .signInNeeded)
    #expect(never.calls.isEmpty)
  }

  @Test func withNobodySignedInThereIsNothingToRestore() throws {
    let fixture = Fixture()
    let report = try fixture.service(ScriptedStrategies.never()).restore()
    #expect(report.failure?.code == .signInNeeded)
    #expect(report.status.state == .signedOut)
    #expect(fixture.store.commits == 0)
  }

  @Test func aRefreshThatLandsAfterLogoutIsDroppedAndEndedAtTheServer() throws {
    let fixture = Fixture()
    try fixture.signIn()
    var ended: String?
    let strategies = ScriptedStrategies { call, services throws(Failure) in
      if call.operation == .logout {
        ended = try services.vaultValue("auth.sessionId")?.publicText()
        return .success([:])
      }
      fixture.store.change { values in values = values.filter { !$0.key.hasPrefix("auth.") } }
      return try cookie(Canary.refreshed, until: Fixture.end)
    }
    let report = try fixture.service(strategies).refresh()
    #expect(report.failure?.code == .signInNeeded && report.status.state == .signedOut)
    #expect(fixture.authNames.isEmpty, "written after a logout: \(fixture.authNames)")
    #expect(ended == Canary.refreshed)
  }

  @Test func aRefreshThatLandsAfterAnotherSignInIsDropped() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = ScriptedStrategies { call, _ throws(Failure) in
      if call.operation == .logout { return .success([:]) }
      fixture.store.set("auth.signInId", "another")
      fixture.store.set("auth.identifier", "bob")
      return try cookie(Canary.refreshed, until: Fixture.end)
    }
    let report = try fixture.service(strategies).refresh()
    #expect(report.failure == nil && report.status.identifier == "bob")
    #expect(fixture.store.text("auth.sessionId") == Canary.session)
  }

  @Test func aRefusalThatLandsAfterAnotherSignInClearsNothing() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = ScriptedStrategies { _, _ throws(Failure) in
      fixture.store.set("auth.signInId", "another")
      return .failure(StrategyFailure(.badCredentials, "no"))
    }
    let report = try fixture.service(strategies).replicatorFailed(ReplicatorCode(401))
    #expect(report.failure == nil && report.status.state == .signedIn)
    #expect(fixture.store.text("auth.password") == Canary.password)
    #expect(fixture.store.text("auth.sessionId") == Canary.session)
  }
}
