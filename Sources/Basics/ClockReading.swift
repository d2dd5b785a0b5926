internal import Glibc

/// Two clocks read at one moment: the wall clock, which can be set, and the time since the machine started, which cannot and
/// goes on while it sleeps (`CLOCK_BOOTTIME`).
public struct ClockReading: Hashable, Sendable {
  /// The wall clock.
  public var wall: Timestamp
  /// Whole seconds since the machine started.
  public var elapsed: Int64

  /// A reading.
  public init(wall: Timestamp, elapsed: Int64) {
    self.wall = wall
    self.elapsed = elapsed
  }

  /// Both clocks as they are.
  public static func now() -> ClockReading {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return ClockReading(wall: .now(), elapsed: Int64(time.tv_sec))
  }
}
