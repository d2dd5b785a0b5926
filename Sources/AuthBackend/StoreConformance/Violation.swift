/// A promise of the store's protocol that a store broke.
public struct Violation: Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// What was expected and what was seen.
  public let detail: String

  /// `check: detail`.
  public var description: String { "\(check): \(detail)" }
}
