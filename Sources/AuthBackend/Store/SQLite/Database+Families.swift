public import Basics

extension SQLiteStore {
  /// See ``AuthStore/begin(_:on:spending:admission:audit:)``.
  public func begin(
    _ family: Family, on description: DeviceDescription, spending proof: SpentOnce?, admission: Admission?,
    audit: Auditing<BeginOutcome>?
  ) throws(Failure) -> BeginOutcome {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        if let proof, try database.isSpent(proof) { return .replay }
        let isGood = try database.isUserGood(family.user)
        let isLinked =
          try proof?.identity.map { identity throws(Failure) in
            try database.isLinked(identity, to: family.user)
          } ?? true
        guard isGood, isLinked else {
          if let proof { try database.spend(proof) }
          return isGood ? .unlinked : .user
        }
        let insertion = try database.insert(family, on: description, admission) { () throws(Failure) in
          if let proof { try database.spend(proof) }
        }
        switch insertion {
        case .begun(let misfit): return .begun(misfit: misfit)
        case .held(let seconds): return .held(seconds: seconds)
        case .unattested(let misfit): return .unattested(misfit)
        }
      }
    }
  }

  /// See ``AuthStore/family(handle:presented:)``.
  public func family(handle: [UInt8], presented: [KeyedHash]) throws(Failure) -> Family? {
    try readers.read { database throws(Failure) in
      guard let row = try database.familyRow(handle: handle) else { return nil }
      if presented.contains(row.family.current) { return row.family }
      return try database.isSpent(presented, family: row.number) ? row.family : nil
    }
  }

  /// See ``AuthStore/family(id:)``.
  public func family(id: String) throws(Failure) -> Family? {
    try readers.read { database throws(Failure) in try database.first(Database.findByID, .text(id)) { $0.family() } }
  }

  /// See ``AuthStore/liveFamilies(user:device:now:limit:)``.
  public func liveFamilies(
    user: String?, device: String?, now: Timestamp, limit: Int
  ) throws(Failure) -> [Family] {
    try readers.read { database throws(Failure) in
      let now = SQLValue.time(now), limit = SQLValue.integer(Int64(clamping: max(0, limit)))
      switch (user, device) {
      case (let user?, let device?):
        return try database.all(Database.liveOfBoth, now, limit, .text(user), .text(device)) { $0.family() }
      case (let user?, nil): return try database.all(Database.liveOfUser, now, limit, .text(user)) { $0.family() }
      case (nil, let device?): return try database.all(Database.liveOfDevice, now, limit, .text(device)) { $0.family() }
      case (nil, nil): return try database.all(Database.liveOfAll, now, limit) { $0.family() }
      }
    }
  }

  /// See ``AuthStore/end(_:_:now:denyUntil:audit:)``.
  public func end(
    _ which: FamilySelection, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family] {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        try database.end(which, reason, now: now, denyUntil: denyUntil)
      }
    }
  }

  /// See ``AuthStore/endSome(_:limit:_:now:denyUntil:audit:)``.
  public func endSome(
    _ which: ManyFamilies, limit: Int, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?,
    audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family] {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        try database.end(which, limit: Int64(clamping: max(0, limit)), reason, now: now, denyUntil: denyUntil)
      }
    }
  }
}

/// What becomes of a family of a good user.
enum Insertion {
  case begun(misfit: DeviceMisfit?)
  case held(seconds: Int64)
  case unattested(DeviceMisfit)
}

extension Database {
  fileprivate static let findByID = Query("SELECT \(FamilyRow.columns) FROM family f WHERE f.id = ?")
  fileprivate static let liveOfUser = live("AND f.user = ?3")
  fileprivate static let liveOfDevice = live("AND f.device = ?3")
  fileprivate static let liveOfBoth = live("AND f.user = ?3 AND f.device = ?4")
  fileprivate static let liveOfAll = live("")

  private static func live(_ which: String) -> Query {
    Query(
      """
      SELECT \(FamilyRow.columns) FROM family f
      WHERE f.ended IS NULL AND f.expires_at > ?1 AND f.used_at > ?1 - f.idle_seconds \(which)
      ORDER BY f.created_at DESC, f.number DESC LIMIT ?2
      """)
  }

  private static let insertFamily = Query(
    """
    INSERT INTO family (handle, id, user, client, device, scopes, auth_time, created_at, expires_at, idle_seconds,
      used_at, generation, current_pepper, current_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  private static let endByID = ending("id = ?3")
  private static let endByUser = ending("user = ?3")
  private static let endByDevice = ending("user = ?3 AND device = ?4")
  private static let endByClient = ending(
    "number IN (SELECT number FROM family WHERE client = ?4 AND ended IS NULL LIMIT ?3)")
  // The index has those alone that have not ended: what has is not gone through again for each step.
  private static let endAny = ending(
    "number IN (SELECT number FROM family INDEXED BY family_user WHERE ended IS NULL LIMIT ?3)")
  private static let userIsDisabled = Query("SELECT is_disabled FROM user WHERE id = ?")

  private static func ending(_ which: String) -> Query {
    Query(
      """
      UPDATE family SET ended = ?1, ended_at = ?2, sealed = NULL WHERE \(which) AND ended IS NULL
      RETURNING \(FamilyRow.returned)
      """)
  }

  /// Whether a user is there and not disabled.
  func isUserGood(_ id: String) throws(Failure) -> Bool {
    try first(Database.userIsDisabled, .text(id)) { $0.bool() } == false
  }

  /// Begins a family, unless what was found is required to be its device's and is not, or its device is to wait. `spend` spends what the family
  /// begins with; it is called unless that is to be good again.
  func insert(
    _ family: Family, on description: DeviceDescription, _ admission: Admission?, spend: () throws(Failure) -> Void
  ) throws(Failure) -> Insertion {
    let finding = description.finding
    let misfit = try misfit(finding, user: family.user, device: family.device, isSignIn: true)
    if let misfit, finding?.isRequired == true {
      try spend()
      try keep(finding, misfit, user: family.user, device: family.device)
      return .unattested(misfit)
    }
    if let seconds = admission?(family.user, family.device) { return .held(seconds: seconds) }
    try spend()
    try run(
      Database.insertFamily, .blob(family.handle), .text(family.id), .text(family.user), .text(family.client),
      .optional(family.device), .scopes(family.scopes), .time(family.authTime), .time(family.createdAt),
      .time(family.expiresAt), .integer(family.idleSeconds), .time(family.usedAt), .integer(family.generation),
      .integer(family.current.pepper), .blob(family.current.bytes))
    try see(family, description)
    try keep(finding, misfit, user: family.user, device: family.device)
    return .begun(misfit: misfit)
  }

  func end(
    _ which: FamilySelection, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    let why = SQLValue.text(reason.rawValue), now = SQLValue.time(now)
    let ended: [Family]
    switch which {
    case .id(let id): ended = try all(Database.endByID, why, now, .text(id)) { $0.family() }
    case .user(let user): ended = try all(Database.endByUser, why, now, .text(user)) { $0.family() }
    case .device(let user, let device):
      ended = try all(Database.endByDevice, why, now, .text(user), .text(device)) { $0.family() }
    }
    if let denyUntil { for family in ended { try deny(family.id, until: denyUntil) } }
    try endUnredeemed(which)
    return ended
  }

  /// A limit of -1 is none.
  func end(
    _ which: ManyFamilies, limit: Int64, _ reason: Family.End, now: Timestamp, denyUntil: Timestamp?
  ) throws(Failure) -> [Family] {
    let why = SQLValue.text(reason.rawValue), now = SQLValue.time(now), limit = SQLValue.integer(limit)
    let ended: [Family]
    switch which {
    case .client(let client): ended = try all(Database.endByClient, why, now, limit, .text(client)) { $0.family() }
    case .all: ended = try all(Database.endAny, why, now, limit) { $0.family() }
    }
    if let denyUntil { for family in ended { try deny(family.id, until: denyUntil) } }
    try endUnredeemed(which)
    return ended
  }
}
