public import Basics

/// An id whose access tokens are denied before they are over: the `jti` of one, or the `sid` of a family.
public struct Denial: Hashable, Sendable {
  /// The id.
  public var id: String
  /// Until when.
  public var until: Timestamp

  /// A denial.
  public init(id: String, until: Timestamp) {
    self.id = id
    self.until = until
  }
}
