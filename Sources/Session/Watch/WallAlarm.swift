public import Basics

/// Rings at a moment of the wall clock, and when that clock is set: what ``WatchLoop`` waits by. ``WallTimer`` is the kernel's.
public protocol WallAlarm: AnyObject {
  /// Can be read once it is time to look at the clock.
  var descriptor: Int32 { get }
  /// Sets when it rings next; nil for a change of the clock alone. Throws ``FailureCode/inputOutput``.
  func ring(at moment: Timestamp?) throws(Failure)
  /// Takes the ringing; says whether the clock was set meanwhile.
  func take() -> Bool
}

extension WallTimer: WallAlarm {}
