import Basics
import SecureMemory
import Session
import StrategyHost
import Testing
import Vault

@Suite struct LoginTests {
  @Test func aSignInIsOneCommitWithEverythingInIt() throws {
    let fixture = Fixture()
    let status = try fixture.signIn()
    #expect(fixture.store.commits == 1)
    #expect(fixture.store.text("auth.strategy") == "basic")
    #expect(fixture.store.text("auth.identifier") == "alice")
    #expect(fixture.store.text("auth.sessionId") == Canary.session)
    #expect(fixture.store.text("auth.sessionExpiresAt") == "2026-09-04T18:00:00Z")
    #expect(fixture.store.text("auth.cookieName") == "SyncGatewaySession")
    #expect(fixture.store.text("auth.password") == Canary.password)
    #expect(fixture.store.text("auth.signInId")?.count == 32)
    #expect(fixture.store.text("mfs.deviceId")?.count == 32)
    #expect(fixture.store.text("mfs.dbkey.main") == Canary.databaseKey)
    #expect(
      fixture.store.text("auth.binding")
        == "mfs-binding 1\nstrategy=basic\ngateway=https://sync.example.com\ndatabase=mfs")
    let lines = status.lines(at: fixture.now)
    #expect(lines.contains("Session ends: 2026-09-04T18:00:00Z (in 6 h)"))
    #expect(lines.contains("Refresh due: 2026-09-04T17:55:00Z (in 5 h 55 min)"))
    #expect(
      status.json.text
        == #"{"state":"signedIn","strategy":"basic","identifier":"alice","employeeId":null,"#
        + #""sessionExpiresAt":"2026-09-04T18:00:00Z","idTokenExpiresAt":null,"refreshAt":"2026-09-04T17:55:00Z","reason":null}"#
    )
  }

  /// An ID token that is shorter than the skew, and a session that nobody has renewed in time: due now, not some time ago.
  @Test(arguments: [(60, 0), (21_600, 21_400)] as [(Int64, Int64)])
  func aRefreshThatIsOverdueIsDueNow(token: Int64, later: Int64) throws {
    let fixture = Fixture()
    let strategies = ScriptedStrategies { _, _ throws(Failure) in
      guard case .success(var fields) = try cookie(Canary.session, until: Fixture.end) else {
        throw Failure(.bug, "no session")
      }
      fields["idToken"] = try secret("CANARY.id.token")
      fields["idTokenExpiresAt"] = .instant(Fixture.now.advanced(by: token))
      return .success(fields)
    }
    _ = try fixture.service(strategies).login(identifier: "alice", prompter: ScriptedPrompter([:]))
    fixture.now = Fixture.now.advanced(by: later)
    let status = try fixture.service(ScriptedStrategies.never()).status()
    #expect(status.state == .signedIn && status.refreshAt == fixture.now)
    #expect(status.json["refreshAt"]?.string == fixture.now.rfc3339)
    let lines = status.lines(at: fixture.now.advanced(by: 1))
    #expect(lines.contains("Refresh due: now"), "\(lines)")
  }

  @Test func theDeviceKeepsItsIdAndEachSignInHasItsOwn() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let device = fixture.store.text("mfs.deviceId"), first = fixture.store.text("auth.signInId")
    _ = try fixture.logOut(ScriptedStrategies { _, _ throws(Failure) in .success([:]) })
    #expect(fixture.store.text("mfs.deviceId") == device)
    try fixture.signIn()
    #expect(fixture.store.text("mfs.deviceId") == device)
    #expect(fixture.store.text("auth.signInId") != first)
  }

  static let failures: [(StrategyFailure.Reason, Int32)] = [
    (.badSettings, 3), (.badCredentials, 60), (.interactionNeeded, 61), (.network, 62), (.server, 62),
    (.protocolViolation, 62), (.refused, 63), (.cancelled, 61), (.denied, 64), (.internal, 65),
  ]

  @Test(arguments: failures) func aFailureHasItsExitAndTouchesNothing(_ reason: StrategyFailure.Reason, _ exit: Int32)
    throws
  {
    let fixture = Fixture()
    try fixture.signIn()
    let before = fixture.store.values
    let failure = #expect(throws: Failure.self) {
      try fixture.service(Fixture.failing(reason)).login(identifier: "bob", prompter: ScriptedPrompter([:]))
    }
    #expect(failure?.code.exit.rawValue == exit)
    #expect(fixture.store.values == before)
  }

  @Test(arguments: [
    (FailureCode.pluginRefused, Int32(64)), (.pluginFailed, 65), (.cancelled, 130), (.inputOutput, 41),
  ]) func aRunThatCannotHappenHasItsExit(_ code: FailureCode, _ exit: Int32) throws {
    let fixture = Fixture()
    let strategies = ScriptedStrategies { _, _ throws(Failure) in throw Failure(code, "as the test says") }
    let failure = #expect(throws: Failure.self) {
      try fixture.service(strategies).login(identifier: "bob", prompter: ScriptedPrompter([:]))
    }
    #expect(failure?.code.exit.rawValue == exit)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func theTextsAreTheApps() throws {
    let fixture = Fixture()
    func message(_ reason: StrategyFailure.Reason, status: Int? = nil) throws -> String? {
      #expect(throws: Failure.self) {
        try fixture.service(Fixture.failing(reason, status: status)).login(
          identifier: "bob", prompter: ScriptedPrompter([:]))
      }?.message
    }
    #expect(try message(.badCredentials, status: 401) == "Wrong email or password.")
    #expect(
      try message(.network)
        == "Can\u{2019}t reach the server. You can still open last session if it hasn\u{2019}t expired.")
    #expect(try message(.badCredentials) == "as the test says", "what was never sent was not wrong")
    #expect(SessionTexts.title == "Sign in")
    #expect(SessionTexts.banner == "Sign in to sync.")
  }

  @Test func aPromptThatIsCancelledByAPersonExitsAsThatWhateverThePluginSays() throws {
    let fixture = Fixture()
    let strategies = ScriptedStrategies { _, services throws(Failure) in
      do throws(Failure) { _ = try services.answer(StrategyPrompt(text: "Password", isSecret: true)) } catch {
        return .failure(StrategyFailure(.cancelled, "cancelled"))
      }
      return .success([:])
    }
    let failure = #expect(throws: Failure.self) {
      try fixture.service(strategies).login(identifier: nil, prompter: ScriptedPrompter([:]))
    }
    #expect(failure?.code == .cancelled)
  }

  static let broken: [[String: String]] = [
    [:], ["session": "cookie", "identifier": "a"], ["session": "cookie", "identifier": "a", "sessionId": "x"],
    ["session": "cookie", "identifier": "a", "sessionId": "has space", "cookieName": "c"],
    ["session": "cookie", "identifier": "a", "sessionId": "x;Path=/", "cookieName": "c"],
    ["session": "cookie", "identifier": "a", "sessionId": "x", "cookieName": "c d"],
    ["session": "cookie", "identifier": "a\nb", "sessionId": "x", "cookieName": "c"],
    ["session": "cookie", "sessionId": "x", "cookieName": "c"],
    ["session": "none", "identifier": "a", "sessionId": "x"], ["session": "maybe", "identifier": "a"],
    ["session": "cookie", "identifier": "a", "sessionId": "x", "cookieName": "c", "unknown": "y"],
    ["session": "cookie", "identifier": "a", "sessionId": "x", "cookieName": "c", "sessionExpiresAt": "tomorrow"],
    ["session": "cookie", "identifier": "a", "sessionId": "x", "cookieName": "c", "plugin.": "y"],
  ]

  @Test(arguments: broken) func aResultThatBreaksItsContractIsNotStored(_ fields: [String: String]) throws {
    let fixture = Fixture()
    let values = fields.mapValues { StrategyValue.text($0) }
    let failure = #expect(throws: Failure.self) {
      try fixture.service(ScriptedStrategies { _, _ throws(Failure) in .success(values) })
        .login(identifier: nil, prompter: ScriptedPrompter([:]))
    }
    #expect(failure?.code == .pluginFailed)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func aSessionThatIsOverOnArrivalIsTroubleOfTheServer() throws {
    let fixture = Fixture()
    let failure = #expect(throws: Failure.self) { try fixture.signIn(until: Fixture.now) }
    #expect(failure?.code == .network)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func aSessionThatCannotBeStoredIsEndedAtTheServer() throws {
    let fixture = Fixture()
    fixture.store.failToWrite()
    var told: String?
    let strategies = ScriptedStrategies { call, services throws(Failure) in
      if call.operation == .logout {
        told = try services.vaultValue("auth.sessionId")?.publicText()
        return .success([:])
      }
      return try cookie(Canary.session, until: Fixture.end)
    }
    let failure = #expect(throws: Failure.self) {
      try fixture.service(strategies).login(identifier: nil, prompter: ScriptedPrompter([:]))
    }
    #expect(failure?.code == .inputOutput)
    #expect(told == Canary.session)
  }

  @Test func aStrategyReachesCredentialsAndTheDevicesNameOnly() throws {
    let fixture = Fixture()
    try fixture.signIn()
    var found: [String: Bool] = [:]
    let strategies = ScriptedStrategies { _, services throws(Failure) in
      for name in ["mfs.dbkey.main", "mfs.deviceId", "auth.password", "auth.nothing"] {
        let value = try services.vaultValue(name)
        found[name] = value != nil
      }
      return try cookie(Canary.refreshed, until: Fixture.end)
    }
    _ = try fixture.service(strategies).refresh()
    #expect(
      found == ["mfs.dbkey.main": false, "mfs.deviceId": true, "auth.password": true, "auth.nothing": false])
  }

  @Test func demoNeedsNoServerAndNeverEnds() throws {
    let fixture = Fixture()
    fixture.settings = ["EXPO_PUBLIC_AUTH_STRATEGY": "demo"]
    let strategies = ScriptedStrategies { call, _ throws(Failure) in
      .success(["session": .text("none"), "identifier": .text(call.identifier ?? "")])
    }
    let status = try fixture.service(strategies).login(identifier: "Ana", prompter: ScriptedPrompter([:]))
    #expect(
      status.json.text
        == #"{"state":"signedIn","strategy":"demo","identifier":"Ana","employeeId":null,"sessionExpiresAt":null,"#
        + #""idTokenExpiresAt":null,"refreshAt":null,"reason":null}"#)
    fixture.now = Timestamp(seconds: .max)
    let never = ScriptedStrategies.never()
    #expect(try fixture.service(never).restore().failure == nil)
    #expect(try fixture.service(never).refresh().failure == nil)
    let report = try fixture.service(never).replicatorFailed(ReplicatorCode(401))
    #expect(report.failure == nil && report.note != nil && report.status.state == .signedIn)
    let (_, notice) = try fixture.logOut(never)
    #expect(notice.server == .notTold && notice.failure == nil)
    #expect(never.calls.isEmpty)
  }
}
