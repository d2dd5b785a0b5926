internal import BackendStore
internal import Basics

/// What becomes of an event besides being counted in the metrics and written into the log.
struct EventRule {
  /// One fact of an event.
  typealias Field = (name: String, value: String)

  /// Whether each is a record of the audit log; otherwise the first from a place within a minute is, and the rest is counted.
  let isAlwaysRecorded: Bool
  /// Whether an alert of it has no valid credential behind it, so that anybody could raise any number.
  let isAnybodys: Bool
  /// Whose places a record or an alert of it takes when there are not enough. What is urgent is about one sign-in, and there are no more of it
  /// than sign-ins, from however many addresses it comes; but whoever has an account can sign in, and raise one, any number of times. Accounts
  /// that are only named can be made up by the thousand, from one address too.
  let share: Floods.Share
  /// What makes two of them the same kind.
  let kind: String

  /// Events that need nothing valid, or something valid once, and can then be caused any number of times.
  private static let repeatable: Set<String> = [
    "account.refused", "attestation.refused", "authorize.refused", "code.refused", "device-code.refused",
    "logout.refused", "native.refused", "native.unavailable", "password.delayed", "password.refused", "refresh.refused",
    "resource.refused", "revoke.refused",
    "server.failure", "sign-in.delayed", "sign-in.failed", "user-code.delayed", "user-code.unknown",
  ]
  /// Facts that are the server's own or were found to be true. What a request only says, such as a client that may not be there, could
  /// be different each time.
  private static let telling: Set<String> = ["reason", "user", "sid", "provider", "endpoint"]

  /// `account` is what tells one account from another where only some of those that are named are there.
  init(_ name: String, _ fields: [Field], account: String? = nil) {
    func has(_ field: String) -> Bool { fields.contains { $0.name == field } }
    let reason = fields.first { $0.name == "reason" }?.value
    let ends = EventRule.ends(name, fields)
    isAlwaysRecorded = !EventRule.repeatable.contains(name) || ends
    isAnybodys = name == "attestation.refused" && !has("user")
    let isUrgent = EventRule.isUrgent(name, reason, ends: ends), user = EventRule.user(fields)
    let place = isUrgent ? nil : fields.first { $0.name == "address" }.map { AddressText.group($0.value) }
    share =
      isUrgent
      ? user.map { .ofUser($0) } ?? .unbounded
      : account == nil ? .ofEvent : place.map { .ofAddresses($0) } ?? .ofEvent
    let facts = fields.filter { EventRule.telling.contains($0.name) }.map { "\($0.name)=\($0.value)" }
    kind = (facts + [place, account].compactMap { $0 }).joined(separator: "\n")
  }

  fileprivate static func user(_ fields: [Field]) -> String? { fields.first { $0.name == "user" }?.value }

  // A sign-in that ends by it can do so once.
  fileprivate static func ends(_ name: String, _ fields: [Field]) -> Bool {
    fields.contains { $0.name == "ended" || name == "code.refused" && $0.name == "sid" }
  }

  fileprivate static func isUrgent(_ name: String, _ reason: String?, ends: Bool) -> Bool {
    switch name {
    case "refresh.refused": ["replay", "failures", "device"].contains(reason)
    case "code.refused": ends
    case "keys.failed", "peppers.failed", "prune.failed", "audit.failed", "tls.failed": true
    default: false
    }
  }
}

extension BackendEvent {
  /// Whether an alert of it is worth more than others when not all of them can be told: something was stolen or is broken.
  public var isUrgent: Bool {
    EventRule.isUrgent(name, fields.first { $0.name == "reason" }?.value, ends: EventRule.ends(name, fields))
  }

  /// Whose account it is about; nil when it is about none that is there.
  public var user: String? { EventRule.user(fields) }
}
