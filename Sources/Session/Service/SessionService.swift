public import Basics
internal import SecureMemory
public import StrategyHost
public import Vault

/// Does what ``SessionMachine`` decides, with a vault and a runner of strategies. One value serves one command; between
/// commands and processes only the vault and the refresh lock are shared.
public final class SessionService {
  /// How what was asked for ended.
  public struct Report {
    /// Where the session stands now.
    public let status: SessionStatus
    /// Why what was asked for was not reached; nil when it was.
    public let failure: Failure?
    /// Something to say about it that is no failure.
    public let note: String?
    /// The sign-in that there is now; nil when there is none that counts.
    public let signIn: SignIn?
    /// How it ended, by the rules.
    public let conclusion: Conclusion
    /// What the server said of its trouble; nil when it was not asked or had none.
    public let told: ServerTrouble?

    /// Whether a replicator that has stopped can be started now: with the credential that there is, or again, because what it
    /// stopped at passes.
    public var restartsReplicator: Bool {
      switch conclusion {
      case .signedIn: signIn?.isLocal == false
      case .unaffected(let code): signIn?.isLocal == false && code.stopsAlthoughItPasses
      default: false
      }
    }
  }

  /// What a server said when a run of a strategy failed.
  public struct ServerTrouble: Hashable, Sendable {
    /// The HTTP status; nil when there was none.
    public let status: Int?
    /// After how many seconds to try again; nil when it did not say.
    public let retryAfter: Int?
  }

  let configuration: SessionConfiguration
  let vault: any VaultBackend
  let strategies: any StrategyRunning
  let lock: RefreshLock
  let providers: ProviderSessions?
  let clock: () -> Timestamp
  let onDecision: (SessionDecision) -> Void
  let onDetail: (String) -> Void
  let onWarning: (Failure) -> Void
  let onWait: (LockHolder?) -> Void

  var machine: SessionMachine
  /// The vault as it was last read.
  var contents: VaultContents?
  var reading: SessionReading = .none
  /// What each attempt brought, until it is stored or discarded.
  var results: [Int: SessionResult] = [:]
  /// Why each attempt failed.
  var failures: [Int: Failure] = [:]
  /// What the server said of it.
  var told: [Int: ServerTrouble] = [:]
  var lastAttempt = 0
  /// Whether a refresh of this value's own is stored.
  var hasRefreshed = false
  var heldLock: RefreshLock.Held?
  var prompter: (any SessionPrompter)?
  var browser: (any StrategyBrowser)?
  var givenIdentifier: String?
  /// The device's id, made for the first sign-in and not stored yet.
  var madeDeviceId: String?

  /// A service for the sessions of one vault. `providers` is where the sign-ins are noted that a provider may remember. `onDecision` is told what the rules decide, except by ``status()``; `onDetail`
  /// each step, without secrets; `onWarning` what went wrong and stops nothing, with what to do about it; `onWait` when somebody else's refresh takes long, and whose.
  public init(
    configuration: SessionConfiguration, vault: any VaultBackend, strategies: any StrategyRunning, lock: RefreshLock,
    providers: ProviderSessions? = nil,
    clock: @escaping () -> Timestamp = Timestamp.now, onDecision: @escaping (SessionDecision) -> Void = { _ in },
    onDetail: @escaping (String) -> Void = { _ in }, onWarning: @escaping (Failure) -> Void = { _ in },
    onWait: @escaping (LockHolder?) -> Void = { _ in }
  ) {
    self.configuration = configuration.bound(by: strategies.serverSettings(of: configuration.strategy))
    self.vault = vault
    self.strategies = strategies
    self.lock = lock
    self.providers = providers
    self.clock = clock
    self.onDecision = onDecision
    self.onDetail = onDetail
    self.onWarning = onWarning
    self.onWait = onWait
    machine = SessionMachine(skew: configuration.skew)
  }

  /// Signs in. What was there before stays until the new session is stored, in one commit. Throws why it failed.
  public func login(
    identifier: String?, prompter: any SessionPrompter, browser: (any StrategyBrowser)? = nil
  ) throws(Failure) -> SessionStatus {
    self.prompter = prompter
    self.browser = browser
    givenIdentifier = identifier
    let report = try drive(.loginRequested)
    if let failure = report.failure { throw failure }
    return report.status
  }

  /// Goes on with what is stored: at once when the session lasts longer than the restore margin, else by a refresh.
  public func restore() throws(Failure) -> Report { try drive(.restoreRequested) }

  /// Gets a new session without asking anyone.
  public func refresh() throws(Failure) -> Report { try drive(.refreshRequested) }

  /// Takes in an error of the replicator. When the stored session cannot be the `rejected` one, it is used as it is.
  public func replicatorFailed(
    _ code: ReplicatorCode, rejected: RejectedSession = RejectedSession()
  ) throws(Failure) -> Report {
    try drive(.replicatorFailed(code), about: rejected)
  }

  /// Where the session stands, from the vault alone.
  public func status() throws(Failure) -> SessionStatus {
    _ = machine.handle(.loaded(try readVault()), now: clock())
    return currentStatus(trouble: nil)
  }

  private func drive(_ request: SessionEvent, about rejected: RejectedSession? = nil) throws(Failure) -> Report {
    defer { heldLock = nil }
    _ = decide(.loaded(try readVault()))
    var conclusion: Conclusion?
    var events = [request]
    if case .replicatorFailed(let code) = request, let rejected, try !isStored(rejected) {
      onDetail("the report is about an earlier session: the stored one is used as it is now")
      events = [.replicatorFailedBefore(code)]
    }
    while let event = events.popLast() {
      for effect in decide(event) {
        if case .conclude(let how) = effect {
          conclusion = how
        } else if let next = try perform(effect) {
          events.append(next)
        }
      }
    }
    guard let conclusion else { throw Failure(.bug, "the session came to no conclusion") }
    return report(conclusion)
  }

  private func isStored(_ rejected: RejectedSession) throws(Failure) -> Bool {
    guard let record = reading.record, record.hasSession else { return true }
    let storedAt = try contents?.entry(.sessionId)?.updatedAt
    return rejected.canBe(record, storedAt: storedAt, now: clock())
  }

  private func decide(_ event: SessionEvent) -> [SessionEffect] {
    let now = clock()
    let effects = machine.handle(event, now: now)
    onDecision(
      SessionDecision(
        at: now, event: event, effects: effects, state: machine.state, reason: reason(of: event),
        origin: configuration.binding.gateway))
    return effects
  }

  private func reason(of event: SessionEvent) -> String? {
    switch event {
    case .loginRequested, .restoreRequested, .refreshRequested, .replicatorFailed, .replicatorFailedBefore:
      return lock.command
    case .loginFailed(let attempt, _), .refreshFailed(let attempt, _):
      let status = told[attempt]?.status.map { "HTTP \($0)" }
      let wait = told[attempt]?.retryAfter.map { "retry after \($0) s" }
      return [failures[attempt]?.code.name, status, wait].compactMap { $0 }.joined(separator: ", ")
    default: return nil
    }
  }

  func readVault() throws(Failure) -> StoredSession {
    let contents = try vault.contents()
    self.contents = contents
    return stored(in: contents)
  }

  /// What contents are to these settings.
  func stored(in contents: VaultContents) -> StoredSession {
    reading = SessionReading(contents)
    switch reading {
    case .none: return .none
    case .ended: return .unusable(.rejected)
    case .damaged: return .unusable(.damaged)
    case .record(let record):
      guard record.binding == configuration.binding else { return .unusable(.settingsChanged) }
      return .signIn(record.signIn)
    }
  }
}
