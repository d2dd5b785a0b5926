public import Basics
internal import SecureMemory
public import StrategyHost
public import Vault

/// Whether the server knows that a session has ended.
public enum ServerNotice: String, Sendable, CaseIterable {
  /// It was told, or says itself that there is no such session.
  case told
  /// It was not told: there was nothing to tell, or it may not be told.
  case notTold = "not-told"
  /// It could not be reached.
  case unreachable
}

/// Signs out: reads what the server has to be told, removes it locally in one commit, and then tells the server. Whatever
/// the server says, the local part is done.
public struct SessionLogout {
  /// How telling the servers went.
  public struct Notice {
    /// Whom it reached.
    public let report: SignOutReport
    /// Whether the server knows, all in all.
    public var server: ServerNotice { report.server }
    /// Why it does not, when it should; the command then ends with ``FailureCode/partial``.
    public let failure: Failure?
  }

  private let strategies: () throws(Failure) -> any StrategyRunning
  private let clock: () -> Timestamp
  private let onDecision: (SessionDecision) -> Void
  private let onDetail: (String) -> Void
  private let browser: (any StrategyBrowser)?
  private let providers: ProviderSessions?

  /// A logout that tells servers through these strategies, which are asked for once the local part is done. `providers` is
  /// where the sign-ins are noted that a provider may remember.
  public init(
    strategies: @escaping () throws(Failure) -> any StrategyRunning, clock: @escaping () -> Timestamp = Timestamp.now,
    onDecision: @escaping (SessionDecision) -> Void = { _ in }, onDetail: @escaping (String) -> Void = { _ in },
    browser: (any StrategyBrowser)? = nil, providers: ProviderSessions? = nil
  ) {
    self.providers = providers
    self.browser = browser
    self.strategies = strategies
    self.clock = clock
    self.onDecision = onDecision
    self.onDetail = onDetail
  }

  /// Signs out of a vault. `remove` removes what is to go, everything with `wipe`, in one commit on the generation it is
  /// given, and its result is passed on; it is called again when somebody changed the vault meanwhile, so that the server
  /// is told of what was really removed. `configuration` is asked for only when a server has to be told; that it cannot be had, or names another
  /// place, keeps the server from being told and nothing else. Throws what `remove` throws.
  public func run<Removal>(
    vault: any VaultBackend, wipe: Bool, configuration: () throws(Failure) -> SessionConfiguration,
    remove: (UInt64) throws(Failure) -> Removal
  ) throws(Failure) -> (Removal, Notice) {
    var machine = SessionMachine()
    var before = try vault.contents()
    let stored = SessionReading(before).record.map { StoredSession.signIn($0.signIn) }
    _ = decide(.loaded(stored ?? .none), &machine)
    var removal: Removal?
    var notice = Notice(report: SignOutReport(), failure: nil)
    for effect in decide(.logoutRequested(wipe: wipe), &machine) {
      switch effect {
      case .removeCredentials, .wipe: removal = try removeCurrent(vault, &before, remove)
      case .tellServer:
        notice = tell(before, SessionReading(before), configuration)
        forget(before, notice.report)
        onDecision(
          SessionDecision(
            at: clock(), event: "serverNotice \(notice.server.rawValue)", effects: notice.report.words,
            state: machine.state.words, reason: notice.failure?.code.name,
            origin: SessionReading(before).record?.binding.gateway))
      default: break
      }
    }
    guard let removal else { throw Failure(.bug, "the logout removed nothing") }
    return (removal, notice)
  }

  private func decide(_ event: SessionEvent, _ machine: inout SessionMachine) -> [SessionEffect] {
    let now = clock()
    let effects = machine.handle(event, now: now)
    onDecision(SessionDecision(at: now, event: event, effects: effects, state: machine.state))
    return effects
  }

  private func removeCurrent<Removal>(
    _ vault: any VaultBackend, _ before: inout VaultContents, _ remove: (UInt64) throws(Failure) -> Removal
  ) throws(Failure) -> Removal {
    var triesLeft = 16
    while true {
      do throws(Failure) { return try remove(before.generation) } catch {
        triesLeft -= 1
        let current = try vault.contents()
        guard error.code == .vaultRolledBack, current.generation != before.generation, triesLeft > 0 else {
          throw error
        }
        before = current
      }
    }
  }

  private func tell(
    _ before: VaultContents, _ reading: SessionReading, _ configuration: () throws(Failure) -> SessionConfiguration
  ) -> Notice {
    if case .damaged(let what) = reading {
      return missed(
        SignOutReport(.notAsked, "what was stored cannot be read as a session: \(what)", of: before),
        hint: "if there was a session, it ends by itself at its server")
    }
    guard let record = reading.record, before.hasSomethingToEnd else {
      onDetail("there is no server to tell")
      return Notice(report: SignOutReport(), failure: nil)
    }
    do throws(Failure) {
      let strategies = try strategies()
      let configuration = try configuration().bound(by: strategies.serverSettings(of: record.strategy))
      guard configuration.binding == record.binding else {
        let why = "the session was for \(record.binding), and the settings now say \(configuration.binding)"
        return missed(
          SignOutReport(.notAsked, why, of: before), hint: "nothing was sent; the session ends by itself at its server")
      }
      let broker = StrategyBroker(values: before, browser: browser, clock: clock, onLog: onDetail)
      let call = StrategyCall(
        strategy: record.strategy, operation: .logout, settings: configuration.settings,
        identifier: record.identifier, timeout: 30)
      switch try strategies.run(call, services: broker) {
      case .success(let fields): return missed(SignOutReport(fields))
      case .failure(let said):
        let isUnreachable = said.trouble == .unreachable || said.trouble == .server
        let outcome: SignOutReport.Outcome =
          isUnreachable
          ? .unreachable : said.trouble == .refused || said.trouble == .credentialsRejected ? .refused : .notAsked
        return missed(SignOutReport(outcome, OutsideText.clean(said.message), of: before))
      }
    } catch {
      return missed(SignOutReport(.notAsked, error.message, of: before), hint: error.hint)
    }
  }

  // The local part is done whatever this says.
  private func missed(_ report: SignOutReport, hint: String? = nil) -> Notice {
    guard let why = report.missed else { return Notice(report: report, failure: nil) }
    let what = report.server == .unreachable ? "the server could not be reached" : "the server was not told"
    return Notice(
      report: report,
      failure: Failure(
        .partial, "signed out here, but \(what): \(why)", hint: hint ?? "the session ends by itself at its server"))
  }

  private func forget(_ before: VaultContents, _ report: SignOutReport) {
    guard report.endSession.outcome == .reached, let providers, let record = SessionReading(before).record else {
      return
    }
    do throws(Failure) { try providers.forget(record.binding) } catch {
      onDetail("that the provider's own session has ended cannot be noted: \(error.message)")
    }
  }
}

extension VaultContents {
  /// Whether something is there that lives on at a server: a session, a token, or what a plugin keeps. A password alone
  /// is nothing to end.
  fileprivate var hasSomethingToEnd: Bool {
    let ending = [SessionKey.sessionId, .idToken, .refreshToken].map(\.rawValue)
    return names.contains { ending.contains($0.text) || $0.text.utf8.starts(with: "auth.plugin.".utf8) }
  }
}
