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
  /// Why, as far as it can be told without anybody's own words: `session.network, HTTP 503, retry after 30 s`.
  public let reason: String?
  /// The origin of the server that it is about, e.g. `https://sync.example.com`; nil without one.
  public let origin: String?

  init(
    at: Timestamp, event: SessionEvent, effects: [SessionEffect], state: SessionState, reason: String? = nil,
    origin: String? = nil
  ) {
    self.init(
      at: at, event: event.words, effects: effects.map(\.words), state: state.words, reason: reason, origin: origin)
  }

  /// A step that is no event of the rules, such as the wait for another try.
  init(
    at: Timestamp, event: String, effects: [String] = [], state: String, reason: String? = nil, origin: String? = nil
  ) {
    self.at = at
    self.event = event
    self.effects = effects
    self.state = state
    self.reason = reason
    self.origin = origin
  }
}

// The names of the cases are the words of the log, and of what they carry the reasons. They are spelled out: to have the
// names looked up, as an interpolation does, takes longer than all else that a decision costs.
extension SessionEvent {
  fileprivate var words: String {
    switch self {
    case .loaded(let stored): "loaded \(stored.words)"
    case .loginRequested: "loginRequested"
    case .loginSucceeded: "loginSucceeded"
    case .loginFailed(_, let trouble): "loginFailed \(trouble.rawValue)"
    case .signInCommitted: "signInCommitted"
    case .restoreRequested: "restoreRequested"
    case .refreshRequested: "refreshRequested"
    case .refreshSucceeded: "refreshSucceeded"
    case .refreshFailed(_, let trouble): "refreshFailed \(trouble.rawValue)"
    case .refreshCommitted: "refreshCommitted"
    case .refreshOvertaken(_, let stored): "refreshOvertaken \(stored.words)"
    case .changedElsewhere(let stored): "changedElsewhere \(stored.words)"
    case .replicatorFailed(let code): "replicatorFailed \(code.number)"
    case .replicatorFailedBefore(let code): "replicatorFailedBefore \(code.number)"
    case .logoutRequested(let wipe): wipe ? "logoutRequested wipe" : "logoutRequested"
    }
  }
}

extension SessionEffect {
  fileprivate var words: String {
    switch self {
    case .runLogin: "runLogin"
    case .runRefresh: "runRefresh"
    case .commitSignIn: "commitSignIn"
    case .commitRefresh: "commitRefresh"
    case .discard: "discard"
    case .dropSession: "dropSession"
    case .clearCredentials: "clearCredentials"
    case .removeCredentials: "removeCredentials"
    case .wipe: "wipe"
    case .tellServer: "tellServer"
    case .stopReplicator: "stopReplicator"
    case .startReplicator: "startReplicator"
    case .scheduleRefresh(let moment): "scheduleRefresh \(moment.description)"
    case .cancelScheduledRefresh: "cancelScheduledRefresh"
    case .conclude(let conclusion): "conclude \(conclusion.words)"
    }
  }
}

extension Conclusion {
  fileprivate var words: String {
    switch self {
    case .signedIn: "signedIn"
    case .signedOut: "signedOut"
    case .offline(let trouble): trouble.map { "offline \($0.rawValue)" } ?? "offline"
    case .signInNeeded(let reason): "signInNeeded \(reason.rawValue)"
    case .loginFailed(let trouble): "loginFailed \(trouble.rawValue)"
    case .refreshFailed(let trouble): "refreshFailed \(trouble.rawValue)"
    case .unaffected: "unaffected"
    }
  }
}

extension StoredSession {
  fileprivate var words: String {
    switch self {
    case .none: "none"
    case .signIn: "signIn"
    case .unusable(let reason): "unusable \(reason.rawValue)"
    }
  }
}

extension SessionState {
  var words: String {
    switch self {
    case .signedOut: "signedOut"
    case .signedIn: "signedIn"
    case .refreshing: "refreshing"
    case .offline: "offline"
    case .signInNeeded(let reason): "signInNeeded \(reason.rawValue)"
    }
  }
}
