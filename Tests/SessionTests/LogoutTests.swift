import Basics
import SecureMemory
import Session
import StrategyHost
import Testing
import Vault

@Suite struct LogoutTests {
  @Test func itRemovesBeforeItTellsAndTellsWhatWasThere() throws {
    let fixture = Fixture()
    try fixture.signIn()
    var toldWith: [String: String] = [:]
    let strategies = ScriptedStrategies { call, services throws(Failure) in
      #expect(fixture.authNames.isEmpty, "the server was told before the vault was clean")
      for name in ["auth.sessionId", "auth.cookieName", "auth.identifier"] {
        toldWith[name] = try services.vaultValue(name)?.publicText()
      }
      let databaseKey = try services.vaultValue("mfs.dbkey.main")
      let isHidden = databaseKey == nil
      #expect(isHidden)
      return .success([:])
    }
    let (report, notice) = try fixture.logOut(strategies)
    #expect(notice.server == .told && notice.failure == nil)
    #expect(strategies.operations == [.logout])
    #expect(toldWith["auth.sessionId"] == Canary.session && toldWith["auth.cookieName"] == "SyncGatewaySession")
    #expect(report.deleted.contains { $0.text == "auth.password" })
    #expect(report.kept.map(\.text) == ["mfs.dbkey.main", "mfs.deviceId"])
    #expect(fixture.store.text("mfs.dbkey.main") == Canary.databaseKey)
    #expect(fixture.store.commits == 2, "one for the sign-in, one for the logout")
  }

  @Test func itIsIdempotent() throws {
    let fixture = Fixture()
    try fixture.signIn()
    _ = try fixture.logOut(ScriptedStrategies { _, _ throws(Failure) in .success([:]) })
    let never = ScriptedStrategies.never()
    let (report, notice) = try fixture.logOut(never)
    #expect(report.deleted.isEmpty && notice.server == .notTold && notice.failure == nil)
    #expect(never.calls.isEmpty)
    #expect(fixture.store.commits == 2)
  }

  @Test func aSessionThatWasDroppedIsNothingToEnd() throws {
    let fixture = Fixture()
    try fixture.signIn()
    _ = try fixture.service(Fixture.failing(.network)).replicatorFailed(ReplicatorCode(401))
    let never = ScriptedStrategies.never()
    let (report, notice) = try fixture.logOut(never)
    #expect(report.deleted.contains { $0.text == "auth.password" })
    #expect(notice.server == .notTold && notice.failure == nil && never.calls.isEmpty)
  }

  static let answers: [(StrategyFailure.Reason, ServerNotice)] = [
    (.network, .unreachable), (.server, .unreachable), (.protocolViolation, .unreachable), (.refused, .notTold),
    (.badSettings, .notTold), (.internal, .notTold), (.denied, .notTold),
  ]

  @Test(arguments: answers) func theLocalPartIsDoneWhateverTheServerSays(
    _ reason: StrategyFailure.Reason, _ server: ServerNotice
  ) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let (_, notice) = try fixture.logOut(Fixture.failing(reason))
    #expect(notice.server == server)
    #expect(notice.failure?.code.exit == .partial)
    #expect(fixture.authNames.isEmpty)
    #expect(fixture.store.text("mfs.deviceId") != nil)
  }

  static let reports: [([String: String], ServerNotice, String, Bool)] = [
    ([:], .told, "reached nothing nothing", false),
    (
      ["gateway": "reached", "revocation": "reached", "endSession": "reached"], .told, "reached reached reached", false
    ),
    (
      ["gateway": "nothing", "revocation": "reached", "endSession": "skipped"], .told, "nothing reached skipped", false
    ),
    (["gateway": "reached", "revocation": "unreachable"], .unreachable, "reached unreachable nothing", true),
    (["gateway": "refused", "gateway.message": "HTTP 403"], .notTold, "refused nothing nothing", true),
    (["gateway": "refused", "endSession": "unreachable"], .unreachable, "refused nothing unreachable", true),
    (["gateway": "nothing"], .notTold, "nothing nothing nothing", false),
    // What a newer plugin may say is no success.
    (["gateway": "reached", "revocation": "postponed"], .told, "reached nothing nothing", false),
  ]

  @Test(arguments: reports) func whomItReachedIsReported(
    _ fields: [String: String], _ server: ServerNotice, _ words: String, _ isMissed: Bool
  ) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let (_, notice) = try fixture.logOut(
      ScriptedStrategies { _, _ throws(Failure) in .success(fields.mapValues { .text($0) }) })
    let report = notice.report
    let outcomes = [report.gateway, report.revocation, report.endSession].map(\.outcome.rawValue)
    #expect(outcomes.joined(separator: " ") == words)
    #expect(notice.server == server && (notice.failure?.code == .partial) == isMissed)
    #expect(report.json["local"]?.string == "done" && report.json["endSession"]?.string == outcomes[2])
    #expect(fixture.authNames.isEmpty)
  }

  @Test(arguments: [FailureCode.pluginRefused, .pluginFailed])
  func aPluginThatCannotRunLeavesTheServerUntold(_ code: FailureCode) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let (_, notice) = try fixture.logOut(ScriptedStrategies { _, _ throws(Failure) in throw Failure(code, "no") })
    #expect(notice.server == .notTold && notice.failure?.code.exit == .partial)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func settingsThatCannotBeUsedDoNotKeepTheCredentials() throws {
    let fixture = Fixture()
    try fixture.signIn()
    fixture.settings["EXPO_PUBLIC_SG_URL"] = ""
    let (_, notice) = try fixture.logOut(ScriptedStrategies.never())
    #expect(notice.server == .notTold && notice.failure?.code.exit == .partial)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func onlyAWipeRemovesTheDatabaseKeyAndTheDevice() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let (report, notice) = try fixture.logOut(
      ScriptedStrategies { _, _ throws(Failure) in .success([:]) }, wipe: true)
    #expect(notice.server == .told && report.wiped)
    #expect(fixture.store.values.isEmpty)
  }

  @Test func aRecordThatCannotBeReadIsRemovedAndSaidSo() throws {
    let fixture = Fixture()
    try fixture.signIn()
    fixture.store.set("auth.binding", "nonsense")
    let (_, notice) = try fixture.logOut(ScriptedStrategies.never())
    #expect(notice.failure?.code == .partial)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func aRefreshThatSlipsInIsToldOfAndNotLost() throws {
    let fixture = Fixture()
    try fixture.signIn()
    var told: String?
    let strategies = ScriptedStrategies { _, services throws(Failure) in
      told = try services.vaultValue("auth.sessionId")?.publicText()
      return .success([:])
    }
    let vault = MemoryVault(fixture.store)
    var isFirst = true
    _ = try SessionLogout(strategies: { strategies }, clock: { Fixture.now }).run(
      vault: vault, wipe: false,
      configuration: { () throws(Failure) in try SessionConfiguration(settings: Fixture.basic) },
      remove: { generation throws(Failure) in
        if isFirst {
          isFirst = false
          fixture.store.set("auth.sessionId", Canary.refreshed)
        }
        return try Logout(expectedGeneration: generation).run(vault)
      })
    #expect(told == Canary.refreshed)
    #expect(fixture.authNames.isEmpty)
  }

  @Test func whatTheVaultCannotWriteIsNotToldToTheServer() throws {
    let fixture = Fixture()
    try fixture.signIn()
    fixture.store.failToWrite()
    let never = ScriptedStrategies.never()
    let failure = #expect(throws: Failure.self) { try fixture.logOut(never) }
    #expect(failure?.code == .inputOutput)
    #expect(never.calls.isEmpty)
    #expect(fixture.store.text("auth.sessionId") == Canary.session)
  }
}
