public import Basics

/// What is to be appended to the audit log.
public struct AuditEntry: Equatable, Sendable {
  /// What happened.
  public var event: String
  /// The facts, in order, none of them secret.
  public var fields: [AuditRecord.Field]
  /// When.
  public var at: Timestamp

  /// An entry.
  public init(_ event: String, _ fields: [AuditRecord.Field], at: Timestamp) {
    self.event = event
    self.fields = fields
    self.at = at
  }
}

/// Says by the outcome of a step what the audit log is told of it. The store appends that in the same step, so that there is neither a
/// change without its record nor a record without its change. It may be called more than once for one step, on any thread, and must not
/// use the store.
public typealias Auditing<Outcome> = @Sendable (Outcome) -> [AuditEntry]
