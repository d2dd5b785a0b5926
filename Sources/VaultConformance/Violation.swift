/// A promise of the backend protocol that a backend broke.
public struct Violation: Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// What was expected and what was seen; never a value.
  public let detail: String

  /// `check: detail`.
  public var description: String { "\(check): \(detail)" }
}
