public import Basics

extension SQLiteStore {
  /// See ``AuthStore/rotate(_:)``.
  public func rotate(_ rotation: Rotation) throws(Failure) -> RotationOutcome {
    try writer.perform { database throws(Failure) in try database.rotateAudited(rotation) }
  }

  /// See ``AuthStore/rotate(_:isAlone:whenDone:)``.
  public func rotate(
    _ rotation: Rotation, isAlone: Bool, whenDone: @escaping @Sendable (Result<RotationOutcome, Failure>) -> Void
  ) {
    writer.perform(
      mayCommit: isAlone, { database throws(Failure) in try database.rotateAudited(rotation) }, whenDone: whenDone)
  }
}

extension Database {
  private static let findByHandle = Query(
    """
    SELECT f.number, \(FamilyRow.columns), f.previous_pepper, f.previous_hash, f.sealed, f.failed_at, \(Database.userColumns(of: "u"))
    FROM family f LEFT JOIN user u ON u.id = f.user WHERE f.handle = ?
    """)
  private static let moveOn = Query(
    """
    UPDATE family SET used_at = ?, generation = generation + 1, previous_pepper = current_pepper,
      previous_hash = current_hash, current_pepper = ?, current_hash = ?, sealed = ?
    WHERE number = ? AND generation = ? AND ended IS NULL
    """)
  private static let spend = Query("INSERT INTO spent (family, hash, pepper) VALUES (?, ?, ?)")
  private static let findSpent = Query("SELECT 1 FROM spent WHERE family = ? AND hash = ? AND pepper = ?")
  private static let noteFailure = Query("UPDATE family SET failed_at = ? WHERE number = ?")

  func familyRow(handle: [UInt8]) throws(Failure) -> FamilyRow? {
    try first(Database.findByHandle, .blob(handle)) { $0.familyRow() }
  }

  fileprivate func rotateAudited(_ rotation: Rotation) throws(Failure) -> RotationOutcome {
    try audited(rotation.audit) { () throws(Failure) in try rotate(rotation) }
  }

  /// The order of the checks is that of ``AuthStore/rotate(_:)``.
  private func rotate(_ rotation: Rotation) throws(Failure) -> RotationOutcome {
    guard let row = try familyRow(handle: rotation.handle) else { return .refused(.unknown, nil, endedNow: false) }
    let family = row.family
    func refused(_ refusal: RotationOutcome.Refusal) -> RotationOutcome { .refused(refusal, family, endedNow: false) }
    guard isSame(family.client, rotation.client) else { return refused(.client) }
    guard family.end == nil else { return refused(try hides(rotation, row) ? .replay : .ended) }

    var repeated: [UInt8]?
    if !rotation.presented.contains(family.current) {
      guard try isSpent(rotation.presented, family: row.number) else { return try fail(rotation, row, .unknown) }
      guard let sealed = Database.sealedForRepeating(row, rotation), try unattested(rotation, family) == nil else {
        return try end(row, .replay, .replay, rotation)
      }
      repeated = sealed
    } else if rotation.finding?.evidence == .nothing, let misfit = try unattested(rotation, family) {
      return try refuse(rotation, family, misfit)
    }
    guard family.isAlive(at: rotation.now) else { return refused(.expired) }
    if let device = family.device, !isSame(device, rotation.device) {
      return rotation.wrongDeviceEnds
        ? try end(row, .device, .wrongDevice, rotation) : try fail(rotation, row, .device)
    }
    guard let user = row.user, !user.isDisabled else { return refused(.user) }
    if let scopes = rotation.scopes {
      guard scopes.allSatisfy({ scope in family.scopes.contains { isSame($0, scope) } }) else { return refused(.scope) }
    }
    let misfit = try misfit(of: rotation, family)
    if let misfit, rotation.finding?.isRequired == true { return try refuse(rotation, family, misfit) }
    if let seconds = rotation.admission?(family.user, family.device) { return .held(seconds: seconds) }
    try keep(rotation.finding, misfit, user: family.user, device: family.device ?? rotation.device)
    if let repeated { return .repeated(family, sealedSuccessor: repeated, misfit: misfit) }
    return .rotated(try advance(row, rotation), user, misfit: misfit)
  }

  /// Whether a spent token came to a family that one of its own tokens ended: who copied it may have ended the family to keep its owner, who
  /// has only the copied one, from being heard.
  private func hides(_ rotation: Rotation, _ row: FamilyRow) throws(Failure) -> Bool {
    guard row.family.end == .revoked || row.family.end == .logout, !rotation.presented.contains(row.family.current)
    else { return false }
    return try isSpent(rotation.presented, family: row.number)
  }

  /// Why what was found is not that of the family's device; of the one that asks, where the family has none.
  private func misfit(of rotation: Rotation, _ family: Family) throws(Failure) -> DeviceMisfit? {
    try misfit(rotation.finding, user: family.user, device: family.device ?? rotation.device, isSignIn: false)
  }

  /// The same where that is a reason to refuse.
  private func unattested(_ rotation: Rotation, _ family: Family) throws(Failure) -> DeviceMisfit? {
    rotation.finding?.isRequired == true ? try misfit(of: rotation, family) : nil
  }

  private func refuse(
    _ rotation: Rotation, _ family: Family, _ misfit: DeviceMisfit
  ) throws(Failure) -> RotationOutcome {
    try keep(rotation.finding, misfit, user: family.user, device: family.device ?? rotation.device)
    return .unattested(misfit, family)
  }

  /// Whether a token with one of these hashes was rotated away in a family.
  func isSpent(_ presented: [KeyedHash], family: Int64) throws(Failure) -> Bool {
    for hash in presented {
      let found = try first(Database.findSpent, .integer(family), .blob(hash.bytes), .integer(hash.pepper)) {
        $0.integer()
      }
      if found != nil { return true }
    }
    return false
  }

  /// What the direct predecessor of the live token is given within the grace.
  private static func sealedForRepeating(_ row: FamilyRow, _ rotation: Rotation) -> [UInt8]? {
    guard let previous = row.previous, rotation.presented.contains(previous), let device = row.family.device,
      isSame(device, rotation.device), let sealed = row.sealed, rotation.graceSeconds > 0
    else { return nil }
    // Of two requests the one that took its time first may come second, so a moment before the rotation is as good as one after.
    let used = row.family.usedAt, now = rotation.now
    let isNear = now < used.advanced(by: rotation.graceSeconds) && used < now.advanced(by: rotation.graceSeconds)
    return isNear ? sealed : nil
  }

  private func advance(_ row: FamilyRow, _ rotation: Rotation) throws(Failure) -> Family {
    var family = row.family
    let usedAt = max(family.usedAt, rotation.now)
    let changed = try run(
      Database.moveOn, .time(usedAt), .integer(rotation.successor.pepper), .blob(rotation.successor.bytes),
      .optional(rotation.sealedSuccessor), .integer(row.number), .integer(family.generation))
    guard changed == 1 else { throw Failure(.bug, "a family changed while it was being rotated") }
    try run(Database.spend, .integer(row.number), .blob(family.current.bytes), .integer(family.current.pepper))
    family.usedAt = usedAt
    family.generation += 1
    family.current = rotation.successor
    return family
  }

  private func end(
    _ row: FamilyRow, _ refusal: RotationOutcome.Refusal, _ reason: Family.End, _ rotation: Rotation
  ) throws(Failure) -> RotationOutcome {
    let ended = try end(.id(row.family.id), reason, now: rotation.now, denyUntil: rotation.denyUntil)
    return .refused(refusal, ended.first ?? row.family, endedNow: !ended.isEmpty)
  }

  /// Counts a failed attempt, and ends the family when it is the last one that is borne.
  private func fail(
    _ rotation: Rotation, _ row: FamilyRow, _ refusal: RotationOutcome.Refusal
  ) throws(Failure) -> RotationOutcome {
    guard rotation.failureLimit >= 1 else { return .refused(refusal, row.family, endedNow: false) }
    let limit = Int(min(rotation.failureLimit, 1_000))
    let start = rotation.now.advanced(by: -max(0, rotation.failureSeconds)).seconds
    let times = (row.failures.filter { $0 > start } + [rotation.now.seconds]).suffix(limit)
    if times.count == limit { return try end(row, .failures, .failures, rotation) }
    try run(Database.noteFailure, .text(times.map(String.init).joined(separator: " ")), .integer(row.number))
    return .refused(refusal, row.family, endedNow: false)
  }
}

extension Family {
  /// Whether it is within its absolute and its idle lifetime; at the limit it is not.
  func isAlive(at now: Timestamp) -> Bool { now < expiresAt && now < usedAt.advanced(by: idleSeconds) }
}
