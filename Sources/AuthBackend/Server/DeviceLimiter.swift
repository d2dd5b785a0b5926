internal import BackendStore
internal import Basics

/// How often a user's device is given tokens: as ``RateLimiter`` has it, by user and device.
///
/// Only what was given counts, so who knows a device's id, or gives it out for that of a device of his own, uses up nothing of its share; what
/// fails counts under client and address alone. A sign-in whose device has used up its share is held by its handle, which only its
/// tokens have, so that it is turned away before anything is looked up or spent.
final class DeviceLimiter: Sendable {
  private struct Held {
    var until: [[UInt8]: MonotonicInstant] = [:]
    var sweepAt = 1_000
  }

  private let shares: RateLimiter
  private let clock: @Sendable () -> MonotonicInstant
  private let held = Monitor(Held())

  init(perMinute: Int, clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicInstant.now() }) {
    shares = RateLimiter(perMinute: perMinute, clock: clock)
    self.clock = clock
  }

  /// In how many seconds the sign-in of this handle may have tokens again; nil when it may now.
  func wait(_ handle: [UInt8]) -> Int64? {
    let now = clock()
    return held.withLock(wake: .nobody) { held in
      guard let until = held.until[handle] else { return nil }
      if until > now { return (until.milliseconds(since: now) + 999) / 1_000 }
      held.until[handle] = nil
      return nil
    }
  }

  /// Counts that a sign-in was given tokens.
  func count(_ family: Family) {
    guard let device = family.device else { return }
    let key = "\(family.user.utf8.count):\(family.user) \(device)"
    _ = shares.take(key)
    guard let seconds = shares.wait(key) else { return }
    let now = clock()
    held.withLock(wake: .nobody) { held in
      if held.until.count >= held.sweepAt {
        held.until = held.until.filter { $0.value > now }
        held.sweepAt = max(1_000, held.until.count * 2)
      }
      held.until[family.handle] = now.advanced(bySeconds: Double(seconds))
    }
  }
}
