public import Basics

/// The document that `session status`, `login`, `restore`, `refresh` and `auth-failure` print. It holds no secret.
public struct SessionStatus: Hashable, Sendable {
  /// The states of the document.
  public enum State: String, Sendable, CaseIterable {
    /// There is a session to use.
    case signedIn
    /// There is none now, but one can be had without asking anyone.
    case offline
    /// Nobody is signed in.
    case signedOut
    /// Only a person can go on.
    case signInNeeded
  }

  /// Where the session stands.
  public let state: State
  /// The strategy that signed in, or that the settings name when nobody did; nil when neither can be known.
  public let strategy: String?
  /// Who signed in.
  public let identifier: String?
  /// Whose profile the app shows.
  public let employeeId: String?
  /// When the session ends.
  public let sessionExpiresAt: Timestamp?
  /// When the ID token ends.
  public let idTokenExpiresAt: Timestamp?
  /// When a refresh is due: no earlier than the document was made, so that one which is overdue is due then.
  public let refreshAt: Timestamp?
  /// Why there is no session to use.
  public let reason: String?
  // Whether the vault and the settings could be read.
  private let isKnown: Bool

  init(
    state: State, strategy: String, identifier: String?, employeeId: String?, sessionExpiresAt: Timestamp?,
    idTokenExpiresAt: Timestamp?, refreshAt: Timestamp?, reason: String?
  ) {
    self.state = state
    self.strategy = strategy
    self.identifier = identifier
    self.employeeId = employeeId
    self.sessionExpiresAt = sessionExpiresAt
    self.idTokenExpiresAt = idTokenExpiresAt
    self.refreshAt = refreshAt
    self.reason = reason
    isKnown = true
  }

  /// The document when the vault or the settings cannot be used, and why: without a vault nobody is signed in, and
  /// everything else needs a person.
  public init(unknownBecause failure: Failure, strategy: String?) {
    state = failure.code == .vaultNotInitialised ? .signedOut : .signInNeeded
    self.strategy = strategy
    (identifier, employeeId) = (nil, nil)
    (sessionExpiresAt, idTokenExpiresAt, refreshAt) = (nil, nil, nil)
    reason = failure.description
    isKnown = false
  }

  /// The document for `--json`.
  public var json: JSONValue {
    [
      "state": .string(state.rawValue), "strategy": .optional(strategy), "identifier": .optional(identifier),
      "employeeId": .optional(employeeId), "sessionExpiresAt": .optional(sessionExpiresAt?.rfc3339),
      "idTokenExpiresAt": .optional(idTokenExpiresAt?.rfc3339), "refreshAt": .optional(refreshAt?.rfc3339),
      "reason": .optional(reason),
    ]
  }

  /// The same for people, a line each, ending with why and what to do next; `brief` leaves that to a failure's message.
  public func lines(at now: Timestamp, brief: Bool = false) -> [String] {
    guard isKnown else {
      let what = state == .signedOut ? "Nobody is signed in." : "Where the session stands cannot be seen."
      return [what] + (reason.map { ["Reason: \($0)"] } ?? [])
    }
    let name = OutsideText.clean(strategy ?? "no strategy", limit: 64)
    let person = identifier.map { OutsideText.clean($0) }
    let who = person.map { " as \($0)" } ?? ""
    var lines: [String]
    var next: String? = "mfsctl session login"
    switch state {
    case .signedIn: (lines, next) = (["Signed in\(who) with \(name)."], nil)
    case .offline:
      (lines, next) = (
        ["Signed in\(who) with \(name), but there is no session to use now."], "mfsctl session refresh"
      )
    case .signedOut: lines = ["Nobody is signed in (strategy \(name))."]
    case .signInNeeded: lines = ["Sign-in needed\(person.map { " for \($0)" } ?? ""), with \(name)."]
    }
    if let employeeId {
      lines.append("Employee: \(OutsideText.clean(employeeId))")
    } else if [.signedIn, .offline].contains(state), strategy != SessionRecord.localStrategy {
      lines.append("Employee: not known")
    }
    if state != .signedOut {
      if let end = sessionExpiresAt {
        lines.append("Session ends: \(end) (\(SessionStatus.distance(from: now, to: end)))")
      }
      if let end = idTokenExpiresAt {
        lines.append("ID token ends: \(end) (\(SessionStatus.distance(from: now, to: end)))")
      }
      if let due = refreshAt {
        lines.append(
          due > now ? "Refresh due: \(due) (\(SessionStatus.distance(from: now, to: due)))" : "Refresh due: now")
      }
    }
    if brief { return lines }
    if let reason { lines.append("Reason: \(reason)") }
    if let next { lines.append("Next: \(next)") }
    return lines
  }

  /// How far a moment is away, in its two largest units: `in 23 h 59 min`, `2 d 3 h ago`.
  public static func distance(from now: Timestamp, to moment: Timestamp) -> String {
    let (difference, overflow) = moment.seconds.subtractingReportingOverflow(now.seconds)
    guard !overflow, difference != 0 else { return overflow ? "far away" : "now" }
    let seconds = difference.magnitude
    func units(_ large: UInt64, _ name: String, _ small: UInt64, _ smallName: String) -> String {
      small == 0 ? "\(large) \(name)" : "\(large) \(name) \(small) \(smallName)"
    }
    let text =
      switch seconds {
      case ..<60: "\(seconds) s"
      case ..<3_600: units(seconds / 60, "min", seconds % 60, "s")
      case ..<86_400: units(seconds / 3_600, "h", seconds / 60 % 60, "min")
      default: units(seconds / 86_400, "d", seconds / 3_600 % 24, "h")
      }
    return difference > 0 ? "in \(text)" : "\(text) ago"
  }
}
