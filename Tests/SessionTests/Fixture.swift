import Basics
import Foundation
import SecureMemory
import Session
import StrategyHost
import Vault

/// A profile with a vault in memory, a folder for its lock, a clock that stands, and all that a service says.
final class Fixture {
  static let now = Timestamp(rfc3339: "2026-09-04T12:00:00Z") ?? Timestamp(seconds: 0)
  static let end = now.advanced(by: 21_600)
  static let basic = [
    "EXPO_PUBLIC_AUTH_STRATEGY": "basic", "EXPO_PUBLIC_SG_URL": "wss://Sync.Example.com", "EXPO_PUBLIC_SG_DB": "mfs",
  ]

  let store = MemoryStore()
  let folder: String
  var settings = Fixture.basic
  var now = Fixture.now
  var said: [String] = []
  var warned: [Failure] = []
  var decided: [SessionDecision] = []

  init() {
    folder = NSTemporaryDirectory() + "/mfsctl-session-\(UUID().uuidString)"
    store.set("mfs.dbkey.main", Canary.databaseKey)
  }
  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Where sign-ins are noted that a provider may remember.
  var providers: ProviderSessions {
    ProviderSessions(
      Directories(config: folder, data: folder, state: folder, runtime: nil), profile: .default)
  }

  var lock: RefreshLock { RefreshLock(path: folder + "/session/refresh-default.lock", timeout: 20) }

  func service(_ strategies: any StrategyRunning) throws -> SessionService {
    SessionService(
      configuration: try SessionConfiguration(settings: settings), vault: MemoryVault(store), strategies: strategies,
      lock: lock, providers: providers, clock: { self.now }, onDecision: { self.decided.append($0) },
      onDetail: { self.said.append($0) }, onWarning: { self.warned.append($0) })
  }

  /// Signs in with `basic` as alice.
  @discardableResult
  func signIn(until end: Timestamp = Fixture.end, password: String? = Canary.password) throws -> SessionStatus {
    let strategies = ScriptedStrategies { _, _ throws(Failure) in
      try cookie(Canary.session, until: end, password: password)
    }
    return try service(strategies).login(identifier: "alice", prompter: ScriptedPrompter([:]))
  }

  func logOut(_ strategies: any StrategyRunning, wipe: Bool = false) throws -> (Logout.Report, SessionLogout.Notice) {
    let vault = MemoryVault(store)
    return try SessionLogout(
      strategies: { strategies }, clock: { self.now }, onDecision: { self.decided.append($0) },
      onDetail: { self.said.append($0) }, providers: providers
    ).run(
      vault: vault, wipe: wipe,
      configuration: { () throws(Failure) in try SessionConfiguration(settings: self.settings) },
      remove: { generation throws(Failure) in
        try Logout(wipe: wipe, expectedGeneration: generation).run(vault)
      })
  }

  /// The names under `auth.` in the vault.
  var authNames: Set<String> { Set(store.values.keys.filter { $0.hasPrefix("auth.") }) }

  static func failing(_ reason: StrategyFailure.Reason, status: Int? = nil) -> ScriptedStrategies {
    ScriptedStrategies { _, _ throws(Failure) in .failure(StrategyFailure(reason, "as the test says", status: status)) }
  }
}
