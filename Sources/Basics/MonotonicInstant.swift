public import Glibc

/// A moment of the monotonic clock (`CLOCK_MONOTONIC`): what deadlines are of, since setting the wall clock moves none of
/// them. The clock stands still while the machine is suspended.
public struct MonotonicInstant: Comparable, Sendable {
  /// Nanoseconds since some moment before the process began.
  public let nanoseconds: Int64

  /// This moment.
  public static func now() -> MonotonicInstant {
    var time = Glibc.timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The moment so many seconds later, held at the end of the range; what is negative or no number counts as 0.
  public func advanced(bySeconds seconds: Double) -> MonotonicInstant {
    // Far below the range of Int64, so that the conversion cannot fail.
    let added = Int64(max(0, min(seconds, 1e9)) * 1e9)
    let (sum, overflow) = nanoseconds.addingReportingOverflow(added)
    return MonotonicInstant(nanoseconds: overflow ? .max : sum)
  }

  /// The moment so many milliseconds later, held at the end of the range; a negative number counts as 0.
  public func advanced(byMilliseconds milliseconds: Int64) -> MonotonicInstant {
    advanced(bySeconds: Double(milliseconds) / 1_000)
  }

  /// Milliseconds from `other` to this moment, rounded down; negative when this one is the earlier.
  public func milliseconds(since other: MonotonicInstant) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return overflow ? .max : Int64((Double(difference) / 1_000_000).rounded(.down))
  }

  /// Milliseconds until this moment for `poll(2)`, rounded up: 0 once it is here.
  public var millisecondsLeft: Int32 {
    let left = nanoseconds.subtractingReportingOverflow(MonotonicInstant.now().nanoseconds).partialValue
    return left <= 0 ? 0 : Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
  }

  /// The same moment for `pthread_cond_timedwait(3)` and its like.
  public var timespec: Glibc.timespec {
    Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  /// Whether the first moment is the earlier.
  public static func < (a: MonotonicInstant, b: MonotonicInstant) -> Bool { a.nanoseconds < b.nanoseconds }
}
