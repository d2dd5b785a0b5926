internal import Basics
internal import Browser
internal import CommandLine
internal import SecureMemory
internal import Session
internal import StrategyHost
internal import Vault
internal import mfsctlCommands

/// What runs strategies; made when a command needs it.
typealias StrategyMaker = (VaultCall, Interruption) throws(Failure) -> any StrategyRunning

/// What runs the session commands, by command path.
func sessionHandlers(_ opener: BackendOpener, strategies: @escaping StrategyMaker) -> [String: Program.Handler] {
  func handler(_ body: @escaping (SessionCall) throws(Failure) -> ExitCode) -> Program.Handler {
    opener.handler { vault throws(Failure) in try body(SessionCall(vault: vault, strategies: strategies)) }
  }
  return [
    "session login": handler(sessionLogin),
    "session restore": handler(sessionRestore),
    "session refresh": handler(sessionRefresh),
    "session status": sessionStatus(opener, strategies),
    "session logout": handler(sessionLogout),
    "session auth-failure": handler(sessionAuthFailure),
    "session watch": handler(sessionWatch),
    "session fetch": handler(sessionFetch),
    "session log": sessionLog,
    "replicator config": handler(replicatorConfig),
    "replicator check": handler(replicatorCheck),
  ]
}

extension Invocation {
  /// How much of the sandbox must be there, as `--isolation` says.
  var isolation: Isolation { value("isolation").flatMap { Isolation(rawValue: $0) } ?? .require }
}

/// One run of a session command.
struct SessionCall {
  let vault: VaultCall
  let strategies: StrategyMaker

  var invocation: Invocation { vault.invocation }
  var console: Console { vault.console }

  /// What the settings say about signing in.
  func configuration() throws(Failure) -> SessionConfiguration {
    try SessionConfiguration.resolved(invocation, vault.request.environment)
  }

  /// The session of the profile's vault. The settings come first: a mistake there is no reason to ask for a passphrase.
  func service() throws(Failure) -> SessionService {
    let configuration = try configuration()
    return service(configuration, try vault.store.open(), try strategies(vault, .signals))
  }

  /// The same with what was made before; `lockTimeout` is how many seconds somebody else's refresh is waited for.
  func service(
    _ configuration: SessionConfiguration, _ backend: any VaultBackend, _ strategies: any StrategyRunning,
    lockTimeout: Int = 90
  ) -> SessionService {
    let console = self.console
    return SessionService(
      configuration: configuration, vault: backend, strategies: strategies,
      lock: RefreshLock(
        vault.request.directories, profile: vault.request.profile, timeout: lockTimeout, command: command),
      providers: providers, onDecision: decisionLog, onDetail: { console.detail($0) },
      onWarning: { console.warn($0.message + ($0.hint.map { "\n        \($0)" } ?? "")) },
      onWait: { holder in
        let who = holder.map { " (\($0))" } ?? ""
        console.note("waiting for another mfsctl that refreshes this session\(who)")
      })
  }

  /// The sign-ins of the profile that an identity provider may remember.
  var providers: ProviderSessions {
    ProviderSessions(vault.request.directories, profile: vault.request.profile)
  }

  /// The words of the command, for those who wait for it.
  var command: String { invocation.path.joined(separator: " ") }

  /// The person's browser, or the terminal in its place.
  func browser(say: @escaping (String) -> Void) -> SessionBrowser {
    let isOff = invocation.flag("no-browser")
    let ask: SessionBrowser.Paste = { text, descriptors, isOver throws(Failure) in
      try TerminalPrompt.ask(
        "\(text): ", hidden: true, noTerminal: Failure(.signInNeeded, "there is no terminal to paste the address in"),
        watching: descriptors, until: isOver)
    }
    return SessionBrowser(
      launcher: isOff ? nil : BrowserLauncher(environment: vault.request.environment),
      port: UInt16(clamping: invocation.integer("redirect-port") ?? 0), say: say,
      paste: TerminalPrompt.isAvailable ? ask : nil)
  }

  /// Writes down what the session decides. A log that cannot be written keeps nobody from signing in or out.
  var decisionLog: (SessionDecision) -> Void {
    let log = DecisionLog(vault.request.directories, profile: vault.request.profile)
    let console = self.console
    return { decision in
      do throws(Failure) { try log.append(decision) } catch { console.detail("the decision log: \(error.message)") }
    }
  }

  /// Prints where the session stands; `brief` when a failure follows that says why. `members` are added to the document.
  func print(
    _ status: SessionStatus, brief: Bool = false, adding members: [JSONValue.Member] = []
  ) throws(Failure) {
    guard !console.json else { return try console.document(.object((status.json.members ?? []) + members)) }
    for line in status.lines(at: .now(), brief: brief) { try console.line(line) }
  }

  /// Prints how it ended, and throws the reason when it did not end well.
  func conclude(
    _ report: SessionService.Report, adding members: [JSONValue.Member] = []
  ) throws(Failure) -> ExitCode {
    do throws(Failure) {
      try vault.report { () throws(Failure) in
        try print(report.status, brief: report.failure != nil, adding: members)
      }
    } catch { throw report.failure ?? error }
    if let note = report.note { console.note(note) }
    if let failure = report.failure { throw failure }
    return .done
  }
}
