public import Basics
internal import CSodium

extension SQLiteStore {
  /// See ``AuthStore/audit(_:)``.
  public func audit(_ entry: AuditEntry) throws(Failure) -> Int64 {
    try writer.perform { database throws(Failure) in try database.append(entry) }
  }

  /// See ``AuthStore/auditRecords(after:limit:)``.
  public func auditRecords(after number: Int64, limit: Int) throws(Failure) -> [AuditRecord] {
    try readers.read { database throws(Failure) in
      try database.all(Database.findRecords, .integer(number), .integer(Int64(clamping: max(0, limit)))) { row in
        let number = row.integer(), at = row.time(), event = row.text()
        let fields = row.pairs().map { AuditRecord.Field($0.name, $0.value) }
        return AuditRecord(number: number, at: at, event: event, fields: fields, digest: row.blob())
      }
    }
  }

  /// See ``AuthStore/lastAuditNumber()``.
  public func lastAuditNumber() throws(Failure) -> Int64 {
    try readers.read { database throws(Failure) in try database.first(Database.lastRecord) { $0.integer() } ?? 0 }
  }

  /// See ``AuthStore/verifyAudit()``.
  public func verifyAudit() throws(Failure) -> AuditVerdict {
    var verdict = AuditVerdict(good: 0, firstBroken: nil, head: [])
    while true {
      // In pieces, so that no reader keeps the write-ahead log from being emptied for long.
      let piece = try readers.read { database throws(Failure) in
        try database.all(Database.findRecords, .integer(verdict.good), .integer(5_000)) {
          (number: $0.integer(), at: $0.time(), event: $0.text(), fields: $0.text(), digest: $0.blob())
        }
      }
      if piece.isEmpty { return verdict }
      for record in piece {
        let number = verdict.good + 1
        let digest = AuditChain.digest(
          after: verdict.head, number: number, at: record.at, event: record.event, fields: record.fields)
        guard record.number == number, record.digest == digest else {
          verdict.firstBroken = number
          return verdict
        }
        verdict.good = number
        verdict.head = digest
      }
    }
  }
}

/// How records of the audit log are chained.
enum AuditChain {
  /// BLAKE2b-256 of the digest before (none for the first record), the number and the time as big-endian 64-bit numbers, the
  /// size of the event's name in bytes likewise, that name, and the fields as they are stored.
  static func digest(
    after previous: [UInt8], number: Int64, at: Timestamp, event: String, fields: String
  ) -> [UInt8] {
    var message = previous
    for value in [number, at.seconds, Int64(event.utf8.count)] {
      for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    message += Array(event.utf8) + Array(fields.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe crypto_generichash(&digest, digest.count, message, UInt64(message.count), nil, 0)
    return digest
  }
}

extension Database {
  /// Does a part of a step, and appends to the audit log what that is told by.
  func audited<R>(_ audit: Auditing<R>?, _ body: () throws(Failure) -> R) throws(Failure) -> R {
    let outcome = try body()
    if let audit { for entry in audit(outcome) { _ = try append(entry) } }
    return outcome
  }

  /// Appends a record, chained to the last one, which no other step can change before this one is committed. Returns its number.
  fileprivate func append(_ entry: AuditEntry) throws(Failure) -> Int64 {
    // Pairs, not an object: a name may come twice.
    let text = JSONValue.array(entry.fields.map { .strings([$0.name, $0.value]) }).text
    let last = try first(Database.lastRecord) { ($0.integer(), $0.blob()) }
    let number = (last?.0 ?? 0) + 1
    let digest = AuditChain.digest(
      after: last?.1 ?? [], number: number, at: entry.at, event: entry.event, fields: text)
    try run(
      Database.insertRecord, .integer(number), .time(entry.at), .text(entry.event), .text(text), .blob(digest))
    return number
  }

  fileprivate static let lastRecord = Query("SELECT number, digest FROM audit ORDER BY number DESC LIMIT 1")
  fileprivate static let insertRecord = Query(
    "INSERT INTO audit (number, at, event, fields, digest) VALUES (?, ?, ?, ?, ?)")
  fileprivate static let findRecords = Query(
    "SELECT number, at, event, fields, digest FROM audit WHERE number > ? ORDER BY number LIMIT ?")
}
