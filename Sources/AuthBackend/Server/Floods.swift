internal import Basics

/// Keeps what anybody may cause in any number from being written down or told each time: the first of a kind is let through, and those
/// that come within a minute after it are counted, as is whatever goes beyond so many kinds of one event in a minute. So a flood, also
/// one from very many addresses, costs a few records and is still seen with its size.
final class Floods: Sendable {
  /// What was counted since the last of its kind was let through.
  struct Passage: Equatable, Sendable {
    /// How many of this kind.
    var repeated: Int64
    /// How many other ones of this event, of kinds that there was no room for.
    var others: Int64
  }

  static let seconds: Int64 = 60

  /// Whose places for kinds one takes.
  enum Share {
    /// Those of all of its event.
    case ofEvent
    /// The few that a user has for each event, so that nobody takes the others'.
    case ofUser(String)
    /// Those of all of its event, of which who has these addresses gets a few.
    case ofAddresses(String)
    /// Nobody's: such kinds are few by themselves.
    case unbounded
  }

  private struct Kind {
    let window: String
    var at: Int64
    var left: Int64 = 0
  }

  private struct Window {
    // Of a user or of some addresses: there is any number of those.
    let isOfOne: Bool
    var at: Int64
    var passed = 0
    var left: Int64 = 0
  }

  private struct State {
    var kinds: [String: Kind] = [:]
    var windows: [String: Window] = [:]
  }

  private let perEvent: Int
  private let perUser: Int
  private let perAddresses: Int
  private let capacity: Int
  private let state = Monitor(State())

  /// `perEvent` is how many kinds of one event are let through in a minute, `perUser` how many of a user's where those count by
  /// themselves, `perAddresses` how many of the event's may be of the same addresses where those count, `capacity` how many kinds are remembered before those are forgotten that are over.
  init(perEvent: Int, perUser: Int = 10, perAddresses: Int = 5, capacity: Int = 4_000) {
    self.perEvent = max(1, perEvent)
    self.perUser = max(1, perUser)
    self.perAddresses = max(1, perAddresses)
    self.capacity = max(1, capacity)
  }

  /// Whether one more is let through, and what was not before it; nil when it is only counted.
  func pass(_ event: String, _ kind: String, share: Share = .ofEvent, now: Timestamp) -> Passage? {
    // A clock that was set back begins a new minute.
    func isRecent(_ then: Int64) -> Bool { (0..<Floods.seconds).contains(now.seconds &- then) }
    let key = event + "\n" + kind
    let (place, limit): (String, Int) =
      switch share {
      case .ofEvent, .ofAddresses: (event, perEvent)
      case .ofUser(let user): (event + "\n" + user, perUser)
      case .unbounded: (event, .max)
      }
    return state.withLock(wake: .nobody) { state in
      if let known = state.kinds[key], isRecent(known.at) {
        state.kinds[key]?.left += 1
        return nil
      }
      var window = state.windows[place] ?? Window(isOfOne: place != event, at: now.seconds)
      if !isRecent(window.at) { (window.at, window.passed) = (now.seconds, 0) }
      defer { state.windows[place] = window }
      guard limit == .max || window.passed < limit else {
        window.left += 1
        return nil
      }
      if case .ofAddresses(let addresses) = share {
        let name = event + "\n" + addresses
        var own = state.windows[name] ?? Window(isOfOne: true, at: now.seconds)
        if !isRecent(own.at) { (own.at, own.passed) = (now.seconds, 0) }
        guard own.passed < perAddresses else {
          window.left += 1
          return nil
        }
        own.passed += 1
        state.windows[name] = own
      }
      if limit < .max { window.passed += 1 }
      let known = state.kinds.removeValue(forKey: key)
      if state.kinds.count >= capacity {
        for (key, kind) in state.kinds where !isRecent(kind.at) {
          state.kinds[key] = nil
          if kind.window == place { window.left += kind.left } else { state.windows[kind.window]?.left += kind.left }
        }
        // What one's still counts goes with it: the metrics have each event.
        state.windows = state.windows.filter { !$0.value.isOfOne || isRecent($0.value.at) }
      }
      let passage = Passage(repeated: known?.left ?? 0, others: window.left)
      window.left = 0
      state.kinds[key] = Kind(window: place, at: now.seconds)
      return passage
    }
  }
}

extension Floods.Passage {
  /// As facts of what is let through.
  var fields: [EventRule.Field] {
    (repeated > 0 ? [("repeated", String(repeated))] : []) + (others > 0 ? [("others", String(others))] : [])
  }
}
