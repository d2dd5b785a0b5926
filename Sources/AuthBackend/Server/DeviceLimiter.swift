internal import Basics

/// How often a user's device is given tokens: as ``RateLimiter`` has it, by user and device, for all of its sign-ins and whichever way tokens
/// are given. The store asks for it where they would be: see ``BackendStore/Admission``.
///
/// Only what was given counts, so who knows a device's id, or gives it out for that of a device of his own, uses up nothing of its share; what
/// fails counts under client and address alone.
final class DeviceLimiter: Sendable {
  private let shares: RateLimiter

  init(perMinute: Int, clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicInstant.now() }) {
    shares = RateLimiter(perMinute: perMinute, clock: clock)
  }

  /// Takes one from the share of a user's device; nil when it may, otherwise in how many seconds it may again. Who tells no device has no
  /// share to use up.
  func take(user: String, device: String?) -> Int64? {
    device.flatMap { shares.take("\(user.utf8.count):\(user) \($0)") }
  }
}
