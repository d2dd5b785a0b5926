public import Basics

/// One step of the session's rules: what happened, what has to be done, and where the session stands then. No secret is
/// in it, nor who signs in.
public struct SessionDecision: Sendable {
  /// When it was taken.
  public let at: Timestamp
  /// What happened, e.g. `refreshFailed unreachable`.
  public let event: String
  /// What has to be done, in order, e.g. `dropSession`.
  public let effects: [String]
  /// Where the session stands, e.g. `offline`.
  public let state: String

  init(at: Timestamp, event: SessionEvent, effects: [SessionEffect], state: SessionState) {
    self.at = at
    self.event = event.words
    self.effects = effects.map(\.words)
    self.state = state.words
  }
}

// The names of the cases are the words of the log; what they carry is left out but for the reasons.
private func name<Case>(_ value: Case) -> String { String("\(value)".prefix { $0 != "(" }) }

extension SessionEvent {
  fileprivate var words: String {
    switch self {
    case .loaded(let stored), .changedElsewhere(let stored), .refreshOvertaken(_, let stored):
      "\(name(self)) \(stored.words)"
    case .loginFailed(_, let trouble), .refreshFailed(_, let trouble): "\(name(self)) \(trouble)"
    case .replicatorFailed(let code), .replicatorFailedBefore(let code): "\(name(self)) \(code)"
    case .logoutRequested(wipe: true): "\(name(self)) wipe"
    default: name(self)
    }
  }
}

extension SessionEffect {
  fileprivate var words: String {
    switch self {
    case .scheduleRefresh(let moment): "\(name(self)) \(moment)"
    case .conclude(let conclusion): "\(name(self)) \(conclusion.words)"
    default: name(self)
    }
  }
}

extension Conclusion {
  fileprivate var words: String {
    switch self {
    case .offline(let trouble): trouble.map { "\(name(self)) \($0)" } ?? name(self)
    case .signInNeeded(let reason): "\(name(self)) \(reason)"
    case .loginFailed(let trouble), .refreshFailed(let trouble): "\(name(self)) \(trouble)"
    default: name(self)
    }
  }
}

extension StoredSession {
  fileprivate var words: String {
    if case .unusable(let reason) = self { "\(name(self)) \(reason)" } else { name(self) }
  }
}

extension SessionState {
  fileprivate var words: String {
    if case .signInNeeded(let reason) = self { "\(name(self)) \(reason)" } else { name(self) }
  }
}
