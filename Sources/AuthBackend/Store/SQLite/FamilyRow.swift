internal import Basics

/// A family as it stands in the database, with what only the store knows of it.
struct FamilyRow {
  let number: Int64
  var family: Family
  /// The direct predecessor of the live token.
  let previous: KeyedHash?
  /// The live token, sealed for its direct predecessor.
  let sealed: [UInt8]?
  /// When attempts that count failed, oldest first.
  let failures: [Int64]
  /// The user, if there is one.
  let user: User?

  /// The columns of a family, in the order that ``Row/family()`` reads them.
  static let columns = """
    f.handle, f.id, f.user, f.client, f.device, f.scopes, f.auth_time, f.created_at, f.expires_at, f.idle_seconds, \
    f.used_at, f.generation, f.current_pepper, f.current_hash, f.ended
    """
  /// The same for `RETURNING`, which knows no other name of the table.
  static let returned = columns.split(separator: " ").map { $0.dropFirst(2) }.joined(separator: " ")
}

extension Row {
  mutating func family() -> Family {
    let handle = blob(), id = text(), user = text(), client = text(), device = optionalText(), scopes = scopes()
    let authTime = time(), createdAt = time(), expiresAt = time(), idleSeconds = integer()
    let usedAt = time(), generation = integer(), current = hash()
    var family = Family(
      id: id, handle: handle, user: user, client: client, device: device, scopes: scopes, authTime: authTime,
      createdAt: createdAt, expiresAt: expiresAt, idleSeconds: idleSeconds, current: current)
    family.usedAt = usedAt
    family.generation = generation
    family.end = optional { $0.choice(Family.End.administrator) }
    return family
  }

  mutating func familyRow() -> FamilyRow {
    FamilyRow(
      number: integer(), family: family(), previous: optionalHash(), sealed: optional { $0.blob() },
      failures: (optionalText() ?? "").split(separator: " ").compactMap { Int64($0) },
      user: optional { $0.user() })
  }

  private mutating func optionalHash() -> KeyedHash? {
    // Both are read whatever the first one is: the next column stands after them.
    let pepper = optional { $0.integer() }, bytes = optional { $0.blob() }
    guard let pepper, let bytes else { return nil }
    return KeyedHash(pepper: pepper, bytes: bytes)
  }
}
