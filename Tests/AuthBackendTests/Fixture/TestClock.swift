import Basics

/// A clock that stands until a test turns it.
final class TestClock: Sendable {
  /// 2026-06-01T00:00:00Z.
  static let start = Timestamp(seconds: 1_780_272_000)

  private let time: Monitor<Timestamp>

  init(_ time: Timestamp = start) { self.time = Monitor(time) }

  var now: Timestamp { time.withLock { $0 } }

  func advance(by seconds: Int64) { time.withLock { $0 = $0.advanced(by: seconds) } }
}

/// What a backend told its operator.
final class EventLog: Sendable {
  struct Entry: Sendable {
    let name: String
    let fields: [String: String]
    let isAlert: Bool
  }

  private let entries = Monitor<[Entry]>([])

  func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }

  var all: [Entry] { entries.withLock { $0 } }
  var alerts: [Entry] { all.filter(\.isAlert) }
  func named(_ name: String) -> [Entry] { all.filter { $0.name == name } }
}
