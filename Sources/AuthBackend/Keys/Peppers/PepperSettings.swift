internal import Basics

/// How peppers are made and kept. All times in seconds.
public struct PepperSettings: Sendable {
  /// For how long new hashes are made with one: 90 days.
  public var rotationSeconds: Int64 = 90 * 86_400
  /// How long before that a new one is there for all processes to read. Half of it is how often the store is read at least.
  public var leadSeconds: Int64 = 300
  /// How long one is kept when nothing new is hashed with it: no shorter than the longest life of anything that is stored as a hash,
  /// spent refresh tokens included, or a replay would not be seen. 366 days.
  public var keepSeconds: Int64 = 366 * 86_400

  /// As above.
  public init() {}

  func schedule() throws(Failure) -> KeySchedule {
    guard leadSeconds >= 2, leadSeconds <= 86_400 else {
      throw Failure(.configuration, "a pepper is there 2 s to a day before it is used, not \(leadSeconds) s")
    }
    return try KeySchedule(
      rotation: rotationSeconds, lead: leadSeconds, keep: keepSeconds, reread: leadSeconds / 2)
  }
}
