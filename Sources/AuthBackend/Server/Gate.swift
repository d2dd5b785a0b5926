internal import Basics

/// Lets so many through at a time and no more: work that waits for others must not take every thread.
final class Gate: Sendable {
  private let limit: Int
  private let inside = Monitor(0)

  init(_ limit: Int) { self.limit = max(1, limit) }

  /// Does it; nil, and nothing is done, when as many are at it.
  func pass<R>(_ body: () throws -> R) rethrows -> R? {
    let limit = limit
    let mayPass = inside.withLock(wake: .nobody) { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
    guard mayPass else { return nil }
    defer { inside.withLock(wake: .nobody) { $0 -= 1 } }
    return try body()
  }
}
