internal import Basics

extension SessionService {
  /// The refresh worked, and what it brought is no use here.
  private var tooShort: Failure {
    let end = reading.record?.sessionExpiresAt.map { " ends at \($0), and it is \(clock()) here: that" } ?? ""
    return Failure(
      .network, "the server's new session\(end) is too short to be used", hint: "is this machine's clock right?")
  }

  var nobody: Failure { Failure(.signInNeeded, "nobody is signed in", hint: "run 'mfsctl session login'") }

  func report(_ conclusion: Conclusion) -> Report {
    var (trouble, note): (Failure?, String?) = (nil, nil)
    let failure: Failure?
    switch conclusion {
    case .signedIn: failure = nil
    case .signedOut: failure = nobody
    case .offline(let why):
      trouble = offlineFailure(why)
      failure = trouble
    case .refreshFailed, .loginFailed: failure = failures[lastAttempt]
    case .signInNeeded(let reason): failure = self.failure(for: reason)
    case .unaffected(let code): (failure, note) = (nil, self.note(on: code))
    }
    return Report(
      status: currentStatus(trouble: trouble), failure: failure, note: note, signIn: machine.state.signIn,
      conclusion: conclusion, told: failure == nil ? nil : told[lastAttempt])
  }

  private func offlineFailure(_ why: Trouble?) -> Failure {
    let failure =
      (why == nil ? nil : failures[lastAttempt])
      ?? (hasRefreshed ? tooShort : nil)
      ?? Failure(.network, "another mfsctl could not get a new session just now", hint: "try again")
    guard failure.code == .network, reading.record?.hasSession == false else { return failure }
    return Failure(
      .network, failure.message, hint: "the rejected session is dropped, what gets a new one is kept; try again")
  }

  /// The document as the vault and the machine have it now; `trouble` is why there is no session.
  func currentStatus(trouble: Failure?) -> SessionStatus {
    let record = reading.record
    let refreshAt: Timestamp?
    let state: SessionStatus.State
    var why: String?
    switch machine.state {
    case .signedOut: (state, refreshAt) = (.signedOut, nil)
    case .signedIn(let signIn), .refreshing(let signIn, _, _):
      // An ID token that is shorter than the skew was due before it came: a moment before the sign-in says nothing to anyone.
      let due = signIn.refreshAt(skew: configuration.skew), now = clock()
      (state, refreshAt) = (.signedIn, due.map { max($0, now) })
    case .offline(let signIn):
      (state, refreshAt) = (.offline, nil)
      let end = signIn.hasSession ? signIn.sessionExpiresAt.map { "the session ends at \($0)" } : nil
      why = [end ?? "the server rejected the session", trouble?.message].compactMap { $0 }.joined(separator: "; ")
    case .signInNeeded(let reason):
      (state, refreshAt) = (.signInNeeded, nil)
      why = text(reason)
    }
    let facts = record?.signIn
    var (strategy, identifier, employeeId) = (record?.strategy, record?.identifier, record?.employeeId)
    if case .ended(let name, let who, let employee) = reading {
      (strategy, identifier, employeeId) = (name, who, employee)
    }
    return SessionStatus(
      state: state, strategy: strategy ?? configuration.strategy, identifier: identifier, employeeId: employeeId,
      sessionExpiresAt: facts?.sessionExpiresAt, idTokenExpiresAt: facts?.idTokenExpiresAt, refreshAt: refreshAt,
      reason: why)
  }

  func failure(for reason: SignInReason) -> Failure {
    let next = "run 'mfsctl session login'"
    switch reason {
    case .rejected:
      return Failure(.signInNeeded, SessionTexts.banner, hint: "\(text(.rejected)); \(next)")
    case .expired: return Failure(.signInNeeded, SessionTexts.banner, hint: "\(text(.expired)); \(next)")
    case .interactionNeeded:
      return failures[lastAttempt] ?? Failure(.signInNeeded, text(.interactionNeeded), hint: next)
    case .settingsChanged:
      return Failure(
        .signInNeeded, text(.settingsChanged),
        hint: "nothing was sent; \(next), or set the settings back to where the session belongs")
    case .damaged: return Failure(.signInNeeded, text(.damaged), hint: next)
    }
  }

  private func text(_ reason: SignInReason) -> String {
    switch reason {
    case .expired: return "the session has ended and nothing is kept to get a new one with"
    case .rejected: return "the server no longer accepts the stored credentials"
    case .interactionNeeded: return "nothing is kept to get a new session with"
    case .settingsChanged:
      guard let stored = reading.record?.binding else { return "the settings have changed" }
      let what = configuration.binding.differences(from: stored).joined(separator: ", ")
      return
        "the stored session is for \(stored); the settings now say \(configuration.binding) (what differs: \(what))"
    case .damaged:
      guard case .damaged(let what) = reading else { return "the stored session cannot be read" }
      return "the stored session cannot be read: \(what)"
    }
  }

  private func note(on code: ReplicatorCode) -> String {
    if code.meaning == .credentialRejected {
      return "strategy \(configuration.strategy) has no server: code \(code) says nothing about it; nothing was changed"
    }
    if code.meaning == .passing {
      let next = code.stopsAlthoughItPasses ? "; the replicator has stopped at it: start it again later" : ""
      return "code \(code) is trouble of the network or the server, which passes; nothing was changed\(next)"
    }
    return "code \(code) says nothing about the credentials; nothing was changed"
  }
}
