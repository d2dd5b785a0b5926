internal import Basics
internal import CommandLine
internal import Session
internal import StrategyHost
internal import Vault
internal import mfsctlCommands

/// `session logout`.
func sessionLogout(_ call: SessionCall) throws(Failure) -> ExitCode {
  let wipe = call.invocation.flag("wipe")
  let vault: any VaultBackend
  do throws(Failure) { vault = try call.vault.store.open() } catch {
    return try logOutUnopened(call, wipe: wipe, error)
  }
  let console = call.console
  let logout = SessionLogout(
    strategies: { () throws(Failure) in try call.strategies(call.vault, .signals) }, onDecision: call.decisionLog,
    onDetail: { console.detail($0) }, browser: call.browser { console.note($0) }, providers: call.providers)
  let (report, notice) = try logout.run(
    vault: vault, wipe: wipe, configuration: { () throws(Failure) in try call.configuration() },
    remove: { generation throws(Failure) in
      try Logout(wipe: wipe, expectedGeneration: generation).run(vault)
    })
  try call.vault.report { () throws(Failure) in try printLogout(report, notice.report, call) }
  if let failure = notice.failure { throw failure }
  return .done
}

/// A vault that cannot be opened: what is in it cannot be told to anyone.
private func logOutUnopened(_ call: SessionCall, wipe: Bool, _ failure: Failure) throws(Failure) -> ExitCode {
  guard wipe || failure.code == .vaultNotInitialised else { throw failure }
  let report = try Logout(wipe: wipe).run(
    unopened: call.vault.store, failure, isPinned: try ProfileSettings.load(call.vault.request) != nil)
  try call.vault.report { () throws(Failure) in try printLogout(report, nil, call) }
  if let note = report.destructionNote(isDryRun: false) { call.console.warn(note) }
  guard report.destroyed || !report.deleted.isEmpty else { return .done }
  throw Failure(
    .partial, "signed out here, but the server was not told: the vault could not be opened (\(failure.message))",
    hint: "if there was a session, it ends by itself at its server")
}

/// `told` is nil when nothing is known of what there was to end.
private func printLogout(_ report: Logout.Report, _ told: SignOutReport?, _ call: SessionCall) throws(Failure) {
  let console = call.console
  let server = told?.server ?? .notTold
  guard !console.json else {
    return try console.document(report.document(server: server.rawValue, reached: told?.json))
  }
  for name in report.deleted { try console.line("deleted  \(name)") }
  for name in report.kept { try console.line("kept     \(name)") }
  if report.deleted.isEmpty, !report.destroyed { try console.line("nobody was signed in") }
  if report.destroyed { try console.line("the vault is removed as a whole: no key opens it") }
  for line in told?.lines ?? [] { try console.line(line) }
  if server == .told { try console.line("the server was told") }
  if told?.leavesProviderSession == true {
    try console.line("the identity provider may still know you: the next sign-in has it ask again")
  }
  console.detail("\(report.erase.level): \(report.erase.text)")
}
