internal import CLinux
internal import Glibc

/// Wakes at a moment of the wall clock, and when that clock is set or the machine wakes from sleep (timerfd_create(2)).
public final class WallTimer {
  private let file: FileDescriptor

  /// Can be read once it is time to look at the clock.
  public var descriptor: Int32 { file.raw }

  /// A timer. Throws ``FailureCode/inputOutput``.
  public init() throws(Failure) {
    let number = clinux_wall_timer()
    guard number >= 0 else { throw .system("make a timer") }
    file = FileDescriptor(owning: number)
  }

  /// Sets when it rings next; nil for a change of the clock alone. Throws ``FailureCode/inputOutput``.
  public func ring(at moment: Timestamp?) throws(Failure) {
    let seconds = moment.map { max(1, min($0.seconds, Int64(Int32.max) * 4)) } ?? 0
    // Setting it takes note of the clock as it is, which a change just before makes fail once.
    for _ in 0..<2 where clinux_ring_at(file.raw, seconds) == 0 { return }
    guard clinux_errno() == ECANCELED else { throw .system("set a timer") }
  }

  /// Takes the ringing; says whether the clock was set meanwhile.
  public func take() -> Bool {
    var count = [UInt8](repeating: 0, count: 8)
    return unsafe read(file.raw, &count, 8) < 0 && clinux_errno() == ECANCELED
  }
}
