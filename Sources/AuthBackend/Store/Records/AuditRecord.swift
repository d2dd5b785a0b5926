public import Basics

/// One record of the audit log.
public struct AuditRecord: Equatable, Sendable {
  /// One fact of an event.
  public struct Field: Equatable, Sendable {
    /// What it is.
    public var name: String
    /// Its value, never a secret.
    public var value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Its number: 1, 2, 3 without a gap.
  public var number: Int64
  /// When it happened.
  public var at: Timestamp
  /// What happened.
  public var event: String
  /// The facts, in order.
  public var fields: [Field]
  /// The digest of this record and, through the one before, of all before it.
  public var digest: [UInt8]

  /// A record.
  public init(number: Int64, at: Timestamp, event: String, fields: [Field], digest: [UInt8]) {
    self.number = number
    self.at = at
    self.event = event
    self.fields = fields
    self.digest = digest
  }
}

/// Whether the audit log is as it was written.
public struct AuditVerdict: Equatable, Sendable {
  /// How many records were found good, from the first on.
  public var good: Int64
  /// The number of the first record that is not what was written, or is missing; nil when all are good.
  public var firstBroken: Int64?
  /// The digest of the last good record. Who notes it elsewhere also finds out when later records are cut off or all of them are
  /// written anew; empty when there is none.
  public var head: [UInt8]

  /// A verdict.
  public init(good: Int64, firstBroken: Int64?, head: [UInt8]) {
    self.good = good
    self.firstBroken = firstBroken
    self.head = head
  }
}
