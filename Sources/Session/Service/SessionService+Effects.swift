internal import Basics
internal import SecureMemory
internal import StrategyHost
internal import Vault

extension SessionService {
  /// Does one effect. Returns what came of it, as the next event. Throws what is not the session's to decide: a vault
  /// that cannot be written, a lock that cannot be had.
  func perform(_ effect: SessionEffect) throws(Failure) -> SessionEvent? {
    switch effect {
    case .runLogin(let attempt):
      return try run(.login, attempt: attempt, identifier: givenIdentifier)
        ?? .loginSucceeded(attempt: attempt)
    case .runRefresh(let attempt, let signIn): return try runRefresh(attempt, signIn)
    case .commitSignIn(let attempt): return try commitSignIn(attempt)
    case .commitRefresh(let attempt, let signInId): return try commitRefresh(attempt, signInId)
    case .discard(let attempt):
      discard(attempt)
      return nil
    case .dropSession(let signInId):
      let isDone = try edit(signInId) { contents throws(Failure) in try contents.dropSession() }
      return try after(isDone, "the rejected session is removed; what gets a new one is kept")
    case .clearCredentials(let signInId):
      let isDone = try edit(signInId) { contents throws(Failure) in contents.clearCredentials() }
      return try after(
        isDone, "session, tokens and password are removed; the identifier and every database key are kept")
    case .stopReplicator:
      onDetail("the replicator must stop: what it presents is no longer good")
      return nil
    case .startReplicator:
      onDetail("the replicator can start with the stored session")
      return nil
    case .scheduleRefresh(let moment):
      onDetail("a refresh is due at \(moment)")
      return nil
    case .cancelScheduledRefresh, .conclude: return nil
    case .removeCredentials, .wipe, .tellServer: throw Failure(.bug, "a logout is not this service's to do")
    }
  }

  /// Runs the strategy. Nil when it brought a session; else the event that says why not.
  private func run(
    _ operation: StrategyOperation, attempt: Int, identifier: String?, of signInId: String? = nil
  ) throws(Failure) -> SessionEvent? {
    lastAttempt = attempt
    onDetail("running strategy \(OutsideText.clean(configuration.strategy, limit: 64)) to \(operation)")
    let broker = StrategyBroker(
      values: operation == .login ? nil : contents, overrides: operation == .login ? try loginValues() : [:],
      prompter: operation == .login ? prompter : nil,
      browser: operation == .login ? browser : nil, asksAgain: operation == .login && mustAskAgain(), clock: clock,
      onLog: onDetail,
      onStore: { values throws(Failure) in try self.store(values, of: signInId) })
    let call = StrategyCall(
      strategy: configuration.strategy, operation: operation, settings: configuration.settings, identifier: identifier)
    let failure: Failure
    let trouble: Trouble
    do throws(Failure) {
      switch try strategies.run(call, services: broker) {
      case .success(let fields):
        let result = try SessionResult(strategy: configuration.strategy, operation: operation, fields: fields)
        results[attempt] = result
        do throws(Failure) { try checkIsAlive(result) } catch {
          // By the server's clock it may live on for long.
          discard(attempt)
          throw error
        }
        return nil
      case .failure(let said):
        // A prompt that was cancelled by Ctrl-C stays that, whatever the plugin made of it.
        let isPrompt = said.reason == .cancelled || said.reason == .interactionNeeded
        failure =
          (isPrompt ? broker.promptFailure : nil)
          ?? said.failure(
            of: operation, strategy: OutsideText.clean(configuration.strategy, limit: 64),
            byProvider: configuration.strategy.utf8.starts(with: "oidc_".utf8))
        trouble = said.trouble
        told[attempt] = ServerTrouble(status: said.status, retryAfter: said.retryAfter)
      }
    } catch {
      guard let kind = Trouble(error) else { throw error }
      failure = error
      trouble = kind
    }
    failures[attempt] = failure
    return operation == .login
      ? .loginFailed(attempt: attempt, trouble) : .refreshFailed(attempt: attempt, trouble)
  }

  /// Whether somebody signed out here and may still be known at the provider: who is in the vault no more. Who merely has to
  /// sign in again is.
  private func mustAskAgain() -> Bool {
    guard case .none = reading, let providers else { return false }
    do throws(Failure) {
      guard try providers.mayKnow(configuration.binding) else { return false }
      onDetail("the last sign-out did not end the provider's own session: it is told to ask again")
      return true
    } catch {
      onDetail("whether the provider is to ask again cannot be known: \(error.message)")
      return true
    }
  }

  /// Before the sign-in is stored: one that is stored and not noted would be forgotten.
  private func remember(_ result: SessionResult) {
    guard result.idToken != nil, let providers else { return }
    do throws(Failure) { try providers.remember(configuration.binding) } catch {
      onWarning(
        Failure(
          error.code, "this sign-in cannot be noted for the time after it: \(error.message)",
          hint: "put that right and sign in again, or a sign-in after the next sign-out may need no password"))
    }
  }

  /// What a sign-in may read: the device's id, which is made before the first one so that the provider hears the id that
  /// is stored afterwards.
  private func loginValues() throws(Failure) -> [String: SecureBox] {
    [SessionKey.deviceId.rawValue: SecureBox(try SecureBytes(publicText: try deviceId()))]
  }

  private func deviceId() throws(Failure) -> String {
    if let stored = try contents?.entry(.deviceId)?.value.publicText(), !stored.isEmpty { return stored }
    if let made = madeDeviceId { return made }
    let made = try SessionRecord.randomIdentifier()
    madeDeviceId = made
    return made
  }

  private func checkIsAlive(_ result: SessionResult) throws(Failure) {
    guard let end = result.sessionExpiresAt, end <= clock() else { return }
    throw Failure(
      .network, "the server's session ended at \(end), and it is \(clock()) here",
      hint: "is this machine's clock right?")
  }

  private func runRefresh(_ attempt: Int, _ signIn: SignIn) throws(Failure) -> SessionEvent? {
    let before = contents
    heldLock = try lock.acquire(onWait: onWait)
    let stored = try readVault()
    // Whoever held the lock before may have done the work, or ended the session.
    guard case .signIn(let current) = stored, current.id == signIn.id, try isSameSession(before, contents) else {
      onDetail("the stored session changed while this waited: it is used as it is now")
      return .refreshOvertaken(attempt: attempt, stored)
    }
    return try run(.refresh, attempt: attempt, identifier: reading.record?.identifier, of: signIn.id)
      ?? .refreshSucceeded(attempt: attempt)
  }

  /// Stores what a refresh cannot lose any more, such as a refresh token that replaces the one before.
  private func store(
    _ values: [(name: String, value: StrategyValue)], of signInId: String?
  ) throws(Failure) -> Bool {
    guard let signInId else { return false }
    let early = try SessionResult(strategy: configuration.strategy, storing: values)
    let isStored = try edit(signInId) { contents throws(Failure) in
      try contents.write(refreshed: early, strategy: configuration.strategy, at: clock())
    }
    onDetail(
      isStored ? "the refreshed token is stored" : "somebody signed in or out meanwhile: the token is not stored")
    return isStored
  }

  private func isSameSession(_ a: VaultContents?, _ b: VaultContents?) throws(Failure) -> Bool {
    for key in [SessionKey.sessionId, .idToken, .refreshToken, .password] {
      switch (try a?.entry(key), try b?.entry(key)) {
      case (nil, nil): continue
      case (let one?, let other?): if !one.value.equals(other.value) { return false }
      default: return false
      }
    }
    return true
  }

  private func after(_ isDone: Bool, _ done: String) throws(Failure) -> SessionEvent? {
    onDetail(isDone ? done : "somebody signed in or out meanwhile: nothing was removed")
    return isDone ? nil : .changedElsewhere(try readVault())
  }

  /// Changes the vault if this sign-in is still the stored one; says whether it was.
  private func edit(
    _ signInId: String, _ body: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    var isCurrent = false
    try vault.update { contents throws(Failure) in
      isCurrent = SessionReading(contents).record?.signInId == signInId
      if isCurrent { try body(contents) }
    }
    _ = try readVault()
    return isCurrent
  }

  private func commitSignIn(_ attempt: Int) throws(Failure) -> SessionEvent? {
    guard let result = results[attempt] else { throw Failure(.bug, "there is no result to store") }
    let id = try SessionRecord.randomIdentifier()
    remember(result)
    do throws(Failure) {
      try vault.update { contents throws(Failure) in
        try contents.write(
          newSignIn: result, id: id, identifier: givenIdentifier, binding: configuration.binding,
          deviceId: try deviceId(), at: clock())
      }
    } catch {
      // A session that cannot be kept must not live on at the server.
      discard(attempt)
      throw error
    }
    results[attempt] = nil
    guard case .signIn(let signIn) = try readVault(), signIn.id == id else {
      throw Failure(
        .signInNeeded, "somebody else signed in or out at the same moment", hint: "see 'mfsctl session status'")
    }
    return .signInCommitted(attempt: attempt, signIn)
  }

  private func commitRefresh(_ attempt: Int, _ signInId: String) throws(Failure) -> SessionEvent? {
    guard let result = results[attempt] else { throw Failure(.bug, "there is no result to store") }
    let isStored: Bool
    do throws(Failure) {
      isStored = try edit(signInId) { contents throws(Failure) in
        try contents.write(refreshed: result, strategy: configuration.strategy, at: clock())
      }
    } catch {
      discard(attempt)
      throw error
    }
    guard isStored else {
      onDetail("somebody signed in or out meanwhile: the refreshed session is not stored")
      discard(attempt)
      return .refreshOvertaken(attempt: attempt, try readVault())
    }
    results[attempt] = nil
    hasRefreshed = true
    guard case .signIn(let signIn) = try readVault() else {
      return .refreshOvertaken(attempt: attempt, try readVault())
    }
    return .refreshCommitted(attempt: attempt, signIn)
  }

  /// Ends a session that nobody will use, at the server too if it can be reached.
  private func discard(_ attempt: Int) {
    guard let result = results.removeValue(forKey: attempt), !configuration.isLocal else { return }
    var values: [String: SecureBox] = [:]
    values[SessionKey.sessionId.rawValue] = result.sessionId
    values[SessionKey.refreshToken.rawValue] = result.refreshToken
    values[SessionKey.idToken.rawValue] = result.idToken
    if let name = result.cookieName, let bytes = try? SecureBytes(publicText: name) {
      values[SessionKey.cookieName.rawValue] = SecureBox(bytes)
    }
    for (name, secret) in result.pluginState { values["auth.plugin.\(configuration.strategy).\(name)"] = secret }
    let broker = StrategyBroker(values: nil, overrides: values, prompter: nil, clock: clock, onLog: onDetail)
    let call = StrategyCall(
      strategy: configuration.strategy, operation: .logout, settings: configuration.settings,
      identifier: result.identifier, timeout: 15)
    let outcome = try? strategies.run(call, services: broker)
    if case .success? = outcome {
      onDetail("the server was told that the unused session has ended")
    } else {
      onDetail("the server could not be told that the unused session has ended")
    }
  }
}
