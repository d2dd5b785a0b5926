public import Basics
internal import SecureMemory
internal import Vault

/// Keeps the session of a vault alive: looks at what is stored, refreshes in time, and tells what happened. It waits for
/// nothing itself; ``WatchLoop`` calls it when there is something to look at or to do.
public final class SessionWatch {
  private let service: () throws(Failure) -> SessionService
  private let clock: () -> ClockReading
  private let random: () -> Double
  private let onEvent: (WatchEvent) -> Void
  private let onDecision: (SessionDecision) -> Void
  private var schedule: RefreshSchedule
  private var last: Look?
  private var status: SessionStatus?

  /// Why a person has to sign in; nil while none has to.
  public private(set) var needsSignIn: Failure?

  /// What was seen of the vault.
  private struct Look {
    var contents: VaultContents?
    var state: SessionState
  }

  /// A watch that asks for a service of its own for each thing that it does, all on one vault. `random` gives numbers in
  /// 0..<1, `onDecision` takes what goes to the decision log.
  public init(
    skew: Int64, limits: RefreshSchedule.Limits = RefreshSchedule.Limits(),
    service: @escaping () throws(Failure) -> SessionService, clock: @escaping () -> ClockReading = ClockReading.now,
    random: @escaping () -> Double = { Double.random(in: 0..<1) },
    onDecision: @escaping (SessionDecision) -> Void = { _ in }, onEvent: @escaping (WatchEvent) -> Void
  ) {
    schedule = RefreshSchedule(skew: skew, limits: limits)
    self.service = service
    self.clock = clock
    self.random = random
    self.onDecision = onDecision
    self.onEvent = onEvent
  }

  /// Where the session stands, as it was last seen.
  public var lastStatus: SessionStatus? { status }
  /// Seconds until the next refresh; nil when none is planned.
  public var secondsToRefresh: Int64? { needsSignIn == nil ? schedule.secondsLeft(at: clock()) : nil }

  /// When there is something to do next if nothing happens: by the wall clock, by elapsed seconds, or never.
  public var wake: (wall: Timestamp?, elapsed: Int64?) {
    var (wall, elapsed): (Timestamp?, Int64?) = (nil, nil)
    let now = clock()
    if needsSignIn == nil {
      switch schedule.step(at: now) {
      case .refresh, .askForSignIn: elapsed = now.elapsed
      case .wait(let due, let retry): (wall, elapsed) = (due, retry)
      }
    }
    // The session's own end changes what can be said of it.
    if case .signedIn(let signIn)? = last?.state, let end = signIn.sessionExpiresAt {
      let unusable = end.advanced(by: -SignIn.restoreMargin)
      wall = min(wall ?? unusable, unusable)
    }
    return (wall, elapsed)
  }

  /// Takes in that the wall clock was set or the machine slept.
  public func clockWasSet() throws(Failure) {
    schedule.clockWasSet(at: clock(), random: random())
    try look()
  }

  /// Looks at the vault and tells what has changed. Throws what keeps it from being read, but for a vault that is not there:
  /// then nobody is signed in.
  public func look() throws(Failure) { try look(afterOwnRefresh: false) }

  /// Does what is due. Throws what no other try can mend.
  public func work() throws(Failure) {
    guard needsSignIn == nil else { return }
    switch schedule.step(at: clock()) {
    case .wait: return
    case .askForSignIn: askAfterServerErrors()
    case .refresh: try refresh()
    }
  }

  private func look(afterOwnRefresh isOwn: Bool) throws(Failure) {
    let service = try self.service()
    let status: SessionStatus
    do throws(Failure) { status = try service.status() } catch {
      guard error.code == .vaultNotInitialised else { throw error }
      return lose(SessionStatus(unknownBecause: error, strategy: self.status?.strategy), error)
    }
    self.status = status
    let before = last
    let now = Look(contents: service.contents, state: service.machine.state)
    last = now
    let isSame = before.map { SessionWatch.isSame($0.contents, now.contents, SessionWatch.facts) } ?? false
    let presented: [SessionKey] =
      service.configuration.presentsBearer || service.reading.record?.hasSession != true ? [.idToken] : []
    let isPresented =
      before.map { SessionWatch.isSame($0.contents, now.contents, [.signInId, .sessionId, .cookieName] + presented) }
      ?? false
    switch now.state {
    case .signedIn(let signIn), .refreshing(let signIn, _, _):
      if isOwn || !isSame || before == nil {
        needsSignIn = nil
        schedule.learn(signIn, isNew: isOwn || (before != nil && !isPresented), at: clock())
      }
      if let reason = SessionWatch.reason(before, signIn, isSame: isPresented, isOwn: isOwn) {
        tell(.credential, reason: reason)
      }
    case .offline(let signIn):
      if isOwn || !isSame || before == nil {
        needsSignIn = nil
        schedule.learn(signIn, isNew: false, at: clock())
      }
      if case .offline? = before?.state, isSame { return }
      tell(.offline, reason: "expired", text: status.reason)
    case .signInNeeded(let reason):
      guard before?.state != now.state || !isSame else { return }
      needsSignIn = service.failure(for: reason)
      tell(.signInNeeded, reason: reason.rawValue, text: status.reason)
    case .signedOut:
      guard before?.state != now.state else { return }
      needsSignIn = Failure(.signInNeeded, "nobody is signed in", hint: "run 'mfsctl session login'")
      tell(.signedOut, reason: before == nil ? "found" : "logout")
    }
  }

  private func lose(_ status: SessionStatus, _ failure: Failure) {
    self.status = status
    let before = last
    last = Look(contents: nil, state: .signedOut)
    guard before?.state != .signedOut || needsSignIn == nil else { return }
    needsSignIn = Failure(.signInNeeded, failure.message, hint: failure.hint)
    tell(.signedOut, reason: failure.code.name, text: failure.message)
  }

  private func refresh() throws(Failure) {
    let report: SessionService.Report
    let service = try self.service()
    do throws(Failure) { report = try service.refresh() } catch {
      switch error.code {
      case .lockTimeout: schedule.yield(at: clock())
      case .inputOutput, .outOfMemory, .vaultBackendUnavailable: retry(error, nil)
      case .vaultNotInitialised: try look()
      default: throw error
      }
      return
    }
    if report.failure?.code == .cancelled { return }
    switch report.conclusion {
    case .refreshFailed, .offline:
      try look()
      // Somebody may have signed out meanwhile.
      guard needsSignIn == nil, let failure = report.failure else { return }
      retry(failure, report.told)
    case .signInNeeded(let reason):
      try look()
      guard needsSignIn == nil else { return }
      // The session itself is good for a while; nothing but a person gets another.
      needsSignIn = report.failure
      tell(.signInNeeded, reason: reason.rawValue, text: report.failure?.message)
    default:
      try look(afterOwnRefresh: service.hasRefreshed)
      // Whatever others do to the vault, two tries do not follow each other at once.
      if needsSignIn == nil, case .refresh = schedule.step(at: clock()) { schedule.yield(at: clock()) }
    }
  }

  private func retry(_ failure: Failure, _ told: SessionService.ServerTrouble?) {
    schedule.fail(status: told?.status, retryAfter: told?.retryAfter, at: clock(), random: random())
    let wait = schedule.secondsLeft(at: clock())
    let number = "refresh \(schedule.failures) failed on end"
    let next = wait.map { "\(number), next try in \($0) s" } ?? number
    onDecision(
      SessionDecision(
        at: clock().wall, event: "watchRetry", state: last?.state.words ?? "signedOut",
        reason: "\(failure.code.name), \(next)"))
    if wait != nil { tell(.retry, reason: failure.code.name, text: failure.message, retryIn: wait) }
  }

  private func askAfterServerErrors() {
    let failure = Failure(
      .signInNeeded,
      "the server failed \(schedule.serverErrors) times on end without saying why; that may be its answer to a sign-in "
        + "that has ended",
      hint: "the credentials are kept: try 'mfsctl session refresh' once the server works, else 'mfsctl session login'")
    needsSignIn = failure
    onDecision(
      SessionDecision(
        at: clock().wall, event: "watchGaveUp", state: last?.state.words ?? "signedOut", reason: "server-errors"))
    tell(.signInNeeded, reason: "server-errors", text: failure.message)
  }

  private func tell(_ kind: WatchEvent.Kind, reason: String, text: String? = nil, retryIn: Int64? = nil) {
    onEvent(WatchEvent(kind, at: clock().wall, reason: reason, text: text, retryIn: retryIn, status: status))
  }

  /// Why a credential is to be announced; nil when it was.
  private static func reason(_ before: Look?, _ signIn: SignIn, isSame: Bool, isOwn: Bool) -> String? {
    guard let before else { return "found" }
    if isSame {
      if case .signedIn = before.state { return nil }
      return "usable-again"
    }
    if isOwn { return "refreshed" }
    return before.state.signIn?.id == signIn.id ? "refreshed-elsewhere" : "signed-in-elsewhere"
  }

  /// What decides when a refresh is due. Not what gets a new session: a refresh stores that first, and may fail after it.
  private static let facts: [SessionKey] = [
    .signInId, .binding, .sessionId, .sessionExpiresAt, .cookieName, .idToken, .idTokenExpiresAt,
  ]

  private static func isSame(_ a: VaultContents?, _ b: VaultContents?, _ keys: [SessionKey]) -> Bool {
    for key in keys {
      let one = try? a?.entry(key)
      let other = try? b?.entry(key)
      switch (one, other) {
      case (nil, nil): continue
      case (let one?, let other?): if !one.value.equals(other.value) { return false }
      default: return false
      }
    }
    return true
  }
}
