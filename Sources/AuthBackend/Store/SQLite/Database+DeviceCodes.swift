public import Basics

extension SQLiteStore {
  /// See ``AuthStore/add(_:)``.
  public func add(_ authorization: DeviceAuthorization) throws(Failure) {
    try writer.perform { database throws(Failure) in try database.insert(authorization) }
  }

  /// See ``AuthStore/lookUp(userCode:now:)``.
  public func lookUp(userCode: String, now: Timestamp) throws(Failure) -> DeviceAuthorization? {
    try readers.read { database throws(Failure) in try database.pending(userCode, now: now) }
  }

  /// See ``AuthStore/decide(userCode:_:now:)``.
  public func decide(
    userCode: String, _ decision: DeviceDecision, now: Timestamp
  ) throws(Failure) -> DeviceAuthorization? {
    try writer.perform { database throws(Failure) in
      guard var authorization = try database.pending(userCode, now: now) else { return nil }
      switch decision {
      case .approve(let user, let authTime, let session):
        if let session, try !database.isAlive(session: session, now: now) { return nil }
        authorization.state = .approved
        (authorization.user, authorization.authTime) = (user, authTime)
      case .deny: authorization.state = .denied
      }
      try database.run(
        Database.decideCode, .text(authorization.state.rawValue), .optional(authorization.user),
        .time(authorization.authTime), .blob(authorization.hash.bytes), .integer(authorization.hash.pepper))
      return authorization
    }
  }

  /// See ``AuthStore/poll(_:)``.
  public func poll(_ poll: DevicePoll) throws(Failure) -> PollOutcome {
    try writer.perform { database throws(Failure) in
      try database.audited(poll.audit) { () throws(Failure) in try database.poll(poll) }
    }
  }
}

extension Database {
  private static let codeColumns = """
    hash, pepper, user_code, client, device, scopes, created_at, expires_at, interval_seconds, polled_at, state, user,
    auth_time
    """
  // The last column was a count that nothing reads.
  private static let insertDeviceCode = Query(
    "INSERT INTO device_code (\(codeColumns), lookups) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)")
  private static let findDeviceCode = Query("SELECT \(codeColumns) FROM device_code WHERE hash = ? AND pepper = ?")
  private static let findPending = Query(
    "SELECT \(codeColumns) FROM device_code WHERE user_code = ? AND state = 'pending' AND expires_at > ?")
  fileprivate static let decideCode = Query(
    "UPDATE device_code SET state = ?, user = ?, auth_time = ? WHERE hash = ? AND pepper = ? AND state = 'pending'")
  private static let notePoll = Query(
    "UPDATE device_code SET polled_at = ?, interval_seconds = ?, state = ? WHERE hash = ? AND pepper = ?")

  fileprivate func pending(_ userCode: String, now: Timestamp) throws(Failure) -> DeviceAuthorization? {
    try first(Database.findPending, .text(userCode), .time(now)) { $0.deviceAuthorization() }
  }

  fileprivate func insert(_ code: DeviceAuthorization) throws(Failure) {
    if try pending(code.userCode, now: code.createdAt) != nil {
      throw Failure(.exists, "the user code stands for another sign-in")
    }
    try run(
      Database.insertDeviceCode, .blob(code.hash.bytes), .integer(code.hash.pepper), .text(code.userCode),
      .text(code.client), .optional(code.device), .scopes(code.scopes), .time(code.createdAt), .time(code.expiresAt),
      .integer(code.intervalSeconds), .time(code.polledAt), .text(code.state.rawValue), .optional(code.user),
      .time(code.authTime))
  }

  /// The order of the checks is that of ``AuthStore/poll(_:)``.
  fileprivate func poll(_ poll: DevicePoll) throws(Failure) -> PollOutcome {
    guard var code = try deviceCode(poll.presented), code.state != .redeemed else { return .unknown }
    guard isSame(code.client, poll.client) else { return .client }
    guard isSame(code.device, poll.device) else { return .device }
    guard poll.now < code.expiresAt else { return .expired }
    if let polledAt = code.polledAt, poll.now < polledAt.advanced(by: code.intervalSeconds) {
      code.intervalSeconds = min(code.intervalSeconds, 3_600) + 5
      try note(code, at: max(polledAt, poll.now))
      return .slowDown(intervalSeconds: code.intervalSeconds)
    }
    guard code.state == .approved, let user = code.user, let authTime = code.authTime else {
      try note(code, at: poll.now)
      return code.state == .denied ? .denied : .pending
    }
    var spent = code
    (spent.state, spent.polledAt) = (.redeemed, poll.now)
    guard try isUserGood(user) else {
      try note(spent, at: poll.now)
      return .user(user)
    }
    let family = Family(
      id: poll.id, handle: poll.handle, user: user, client: code.client, device: code.device, scopes: code.scopes,
      authTime: authTime, createdAt: poll.now, expiresAt: poll.now.advanced(by: poll.lifetimeSeconds),
      idleSeconds: poll.idleSeconds, current: poll.first)
    let insertion = try insert(family, on: poll.description, poll.admission) { () throws(Failure) in
      try note(spent, at: poll.now)
    }
    switch insertion {
    case .held(let seconds):
      try note(code, at: poll.now)
      return .held(seconds: seconds)
    case .unattested(let misfit): return .unattested(misfit, spent)
    case .begun(let misfit): return .granted(family, spent, misfit: misfit)
    }
  }

  private func note(_ code: DeviceAuthorization, at: Timestamp) throws(Failure) {
    try run(
      Database.notePoll, .time(at), .integer(code.intervalSeconds), .text(code.state.rawValue),
      .blob(code.hash.bytes), .integer(code.hash.pepper))
  }

  private func deviceCode(_ presented: [KeyedHash]) throws(Failure) -> DeviceAuthorization? {
    for hash in presented {
      let found = try first(Database.findDeviceCode, .blob(hash.bytes), .integer(hash.pepper)) {
        $0.deviceAuthorization()
      }
      if let found { return found }
    }
    return nil
  }
}

extension Row {
  fileprivate mutating func deviceAuthorization() -> DeviceAuthorization {
    let bytes = blob(), pepper = integer()
    var code = DeviceAuthorization(
      hash: KeyedHash(pepper: pepper, bytes: bytes), userCode: text(), client: text(), device: optionalText(),
      scopes: scopes(), createdAt: time(), expiresAt: time(), intervalSeconds: integer())
    code.polledAt = optionalTime()
    code.state = choice(DeviceAuthorization.State.redeemed)
    code.user = optionalText()
    code.authTime = optionalTime()
    return code
  }
}
