public import Basics
internal import Synchronization

/// The gateway's clock: the system's, moved by as much as a test, a script or a demonstration asks.
public final class LabClock: Sendable {
  private let source: @Sendable () -> Timestamp
  private let offset = Mutex<Int64>(0)

  /// A clock that begins as `source` has it.
  public init(_ source: @escaping @Sendable () -> Timestamp = Timestamp.now) { self.source = source }

  /// Now, by this clock.
  public func now() -> Timestamp { source().advanced(by: offset.withLock { $0 }) }

  /// Moves the clock on, or back where that is negative.
  public func advance(by seconds: Int64) {
    offset.withLock { offset in
      let (sum, overflow) = offset.addingReportingOverflow(seconds)
      if !overflow { offset = sum }
    }
  }
}
