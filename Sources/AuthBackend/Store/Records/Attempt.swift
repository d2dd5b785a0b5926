public import Basics

/// Something that may be tried only so often: a password for an account from a device, from an address, a user code.
public struct AttemptRule: Sendable {
  /// What is counted, such as `account/IP` or `account/device`. No secret.
  public var key: String
  /// How many attempts are free.
  public var free: Int64
  /// How many seconds must pass after the first one that is not; twice as many after each further one.
  public var firstDelaySeconds: Int64
  /// The most that it grows to.
  public var maximumDelaySeconds: Int64
  /// After so many seconds without an attempt nothing is held against anybody.
  public var forgetSeconds: Int64

  /// A rule.
  public init(
    key: String, free: Int64, firstDelaySeconds: Int64, maximumDelaySeconds: Int64, forgetSeconds: Int64
  ) {
    self.key = key
    self.free = free
    self.firstDelaySeconds = firstDelaySeconds
    self.maximumDelaySeconds = maximumDelaySeconds
    self.forgetSeconds = forgetSeconds
  }

  /// How many seconds must pass after the attempt of this number, 1 for the first.
  public func delay(after count: Int64) -> Int64 {
    let beyond = count.subtractingReportingOverflow(free).partialValue
    guard beyond >= 1, firstDelaySeconds > 0 else { return 0 }
    // Doubling stops before it could overflow.
    var delay = firstDelaySeconds
    for _ in 1..<min(beyond, 63) where delay < maximumDelaySeconds {
      delay = delay > Int64.max / 2 ? Int64.max : delay * 2
    }
    return max(0, min(delay, maximumDelaySeconds))
  }
}

/// Whether something may be tried.
public enum AttemptOutcome: Equatable, Sendable {
  /// Yes, and it is counted, as a failure until ``AuthStore/forgetAttempts(_:)`` is called; the highest count of its keys.
  case allowed(count: Int64)
  /// Not before a moment; nothing was counted.
  case wait(until: Timestamp)
}
