internal import Basics
internal import SecureMemory

/// Everything that requests share.
struct GatewayState {
  struct User {
    var hash: PasswordHash
    /// Sessions made under another one are dead: it changes with the password.
    var sessionUUID: String
    var isDisabled = false
    var channels: [String]
    /// Passwords that were right since the last change. Wrong ones are never remembered, so each costs a full hash.
    var known: Set<SecretDigest> = []
  }

  struct Session {
    var user: String
    var expires: Timestamp
    var ttl: Int64
    var uuid: String
    var isOneTime: Bool
  }

  var scenario: Scenario
  /// How many requests each fault has seen, by its place in the scenario.
  var seen: [Int]
  var users: [String: User] = [:]
  var sessions: [String: Session] = [:]
  var documents: [String: String] = [:]

  init(_ scenario: Scenario) {
    self.scenario = scenario
    seen = scenario.faults.map { _ in 0 }
  }

  /// The first fault that this request meets. A fault counts the requests that no fault before it took.
  mutating func nextFault(for operation: Operation) -> Fault? {
    for (index, fault) in scenario.faults.enumerated()
    where fault.concerns(operation) {
      let number = seen[index]
      seen[index] = number + 1
      if number >= fault.after, fault.times.map({ number - fault.after < $0 }) ?? true { return fault }
    }
    return nil
  }

  func isDisabled(_ name: String) -> Bool {
    scenario.options.disabledUsers.contains(name) || users[name]?.isDisabled ?? false
  }

  /// The session of an id. Expired ones are gone, as the bucket behind a real gateway drops them.
  mutating func session(_ id: String, now: Timestamp) -> Session? {
    guard let session = sessions[id] else { return nil }
    guard now < session.expires else {
      sessions[id] = nil
      return nil
    }
    return session
  }
}

/// The counts of new faults: one that was there before goes on with its own.
func carriedOver<Fault: Equatable>(_ counts: [Int], of old: [Fault], to new: [Fault]) -> [Int] {
  var known = Array(zip(old, counts))
  return new.map { fault in
    known.firstIndex { $0.0 == fault }.map { known.remove(at: $0).1 } ?? 0
  }
}
