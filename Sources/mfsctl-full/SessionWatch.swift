internal import Basics
internal import CommandLine
internal import Session
internal import StrategyHost
internal import Vault
internal import mfsctlCommands

/// `session watch`.
func sessionWatch(_ call: SessionCall) throws(Failure) -> ExitCode {
  let (invocation, console, request) = (call.invocation, call.console, call.vault.request)
  let configuration = try call.configuration()
  let only = try WatchLock(request.directories, profile: request.profile)
  defer { only.end() }
  // The key may be asked for; until then Ctrl-C acts as ever.
  let vault = try call.vault.store.open()
  let signals = try WatchSignals()
  let strategies = try call.strategies(call.vault, .descriptor(signals.interruption))
  let changes: any VaultChanges =
    call.vault.store.kind == .file ? VaultFileChanges(request) : VaultGenerationChanges(call.vault.store)
  let live = console.json || console.quiet ? nil : LiveLine(console, request.environment)
  var onTick: ((SessionWatch) throws(Failure) -> Void)?
  if let live { onTick = { watch throws(Failure) in try live.show(watch) } }
  let log = call.decisionLog
  let loop = try WatchLoop(
    changes: changes,
    hooks: WatchHooks(
      onCredential: invocation.value("on-credential"), onSignedOut: invocation.value("on-signed-out"),
      profile: request.profile),
    signals: signals, waitsForSignIn: invocation.flag("wait"), output: 1,
    onTick: onTick,
    onEvent: { event throws(Failure) in
      try live?.clear()
      if console.json { try console.document(event.json) } else { try console.line(event.line) }
    },
    makeWatch: { onEvent in
      SessionWatch(
        skew: configuration.skew,
        // Somebody else's refresh is not waited for: its end is seen in the vault.
        service: { () throws(Failure) in call.service(configuration, vault, strategies, lockTimeout: 1) },
        onDecision: log, onEvent: onEvent)
    })
  do throws(Failure) {
    let ending = try loop.run()
    try live?.clear()
    switch ending {
    case .interrupted: return .cancelled
    case .terminated: return .done
    case .signInNeeded(let failure): throw failure
    }
  } catch {
    guard error.code == .outputGone else { throw error }
    throw Failure(.closedPipe, error.message)
  }
}
