import Basics
import Session
import Testing

/// Every sequence of events up to a depth, with a model of the vault, the strategy runs and the replicator beside the
/// machine. States that were reached before are not explored twice, which loses no sequence.
@Suite struct MachineExplorationTests {
  static let now = Timestamp(seconds: 1_000_000)
  static let fresh = SignIn(id: "a", hasSession: true, sessionExpiresAt: now.advanced(by: 3_600), canRefresh: true)
  static let expired = SignIn(id: "a", hasSession: true, sessionExpiresAt: now.advanced(by: -1), canRefresh: true)
  static let noRefresh = SignIn(id: "a", hasSession: true, sessionExpiresAt: now.advanced(by: 3_600), canRefresh: false)
  static let other = SignIn(id: "b", hasSession: true, sessionExpiresAt: now.advanced(by: 3_600), canRefresh: true)
  static let local = SignIn(id: "d", isLocal: true, hasSession: false, sessionExpiresAt: nil, canRefresh: false)

  static let starts: [StoredSession] =
    [.none, .signIn(fresh), .signIn(expired), .signIn(noRefresh), .signIn(local)]
    + [.expired, .rejected, .settingsChanged, .damaged].map { .unusable($0) }

  /// What has happened so far, apart from the machine.
  struct Ghost: Hashable {
    var hasCredentials = true
    var hasDatabaseKey = true
    var hasDeviceId = true
    var wipeWasAsked = false
    /// No sign-in was asked for since the last logout.
    var isLoggedOut = false
    /// Somebody else signed in since then.
    var theyAreSignedIn = false
    var refreshesSinceRejection: Int?
    var loginRuns: Set<Int> = []
    var refreshRuns: Set<Int> = []
  }

  struct Point: Hashable {
    var machine: SessionMachine
    var ghost: Ghost
  }

  static func events(at point: Point) -> [SessionEvent] {
    var events: [SessionEvent] = [
      .loginRequested, .restoreRequested, .refreshRequested, .logoutRequested(wipe: false),
      .logoutRequested(wipe: true),
      .replicatorFailed(ReplicatorCode(401)), .replicatorFailed(ReplicatorCode(10_404)),
      .replicatorFailed(ReplicatorCode(503)), .replicatorFailedBefore(ReplicatorCode(401)), .changedElsewhere(.none),
      .changedElsewhere(.signIn(other)),
    ]
    for attempt in point.ghost.loginRuns {
      events.append(.loginSucceeded(attempt: attempt))
      events.append(.signInCommitted(attempt: attempt, other))
      events += Trouble.allCases.map { .loginFailed(attempt: attempt, $0) }
    }
    for attempt in point.ghost.refreshRuns {
      events.append(.refreshSucceeded(attempt: attempt))
      events.append(.refreshCommitted(attempt: attempt, fresh))
      events += [StoredSession.none, .signIn(other), .unusable(.rejected)].map {
        .refreshOvertaken(attempt: attempt, $0)
      }
      events += Trouble.allCases.map { .refreshFailed(attempt: attempt, $0) }
    }
    return events
  }

  static func isTransient(_ event: SessionEvent) -> Bool {
    switch event {
    case .refreshFailed(_, let trouble), .loginFailed(_, let trouble):
      trouble != .credentialsRejected && trouble != .interactionNeeded
    default: false
    }
  }

  /// Takes one step and checks every promise that one step can break.
  static func step(_ point: Point, _ event: SessionEvent) -> Point {
    var next = point
    let effects = next.machine.handle(event, now: now)
    switch event {
    case .logoutRequested(let wipe):
      next.ghost.isLoggedOut = true
      next.ghost.theyAreSignedIn = false
      if wipe { next.ghost.wipeWasAsked = true }
    case .loginRequested: next.ghost.isLoggedOut = false
    case .replicatorFailed(let code) where code.meaning == .credentialRejected:
      next.ghost.refreshesSinceRejection = 0
    case .changedElsewhere(let stored):
      // Their sign-in is theirs; what this machine stores must still wait for one of its own.
      if stored != .none { next.ghost.theyAreSignedIn = true }
      next.ghost.refreshesSinceRejection = nil
    case .refreshRequested, .restoreRequested, .replicatorFailedBefore: next.ghost.refreshesSinceRejection = nil
    default: break
    }
    for effect in effects {
      switch effect {
      case .wipe:
        #expect(event == .logoutRequested(wipe: true), "only a logout that asks for it wipes")
        next.ghost.hasDatabaseKey = false
        next.ghost.hasDeviceId = false
        next.ghost.hasCredentials = false
      case .removeCredentials:
        #expect(event == .logoutRequested(wipe: false))
        next.ghost.hasCredentials = false
      case .clearCredentials:
        #expect(!isTransient(event), "network and server trouble must keep what gets a new session: \(event)")
        next.ghost.hasCredentials = false
      case .commitSignIn:
        #expect(!next.ghost.isLoggedOut, "nothing is stored after a logout: \(event)")
        next.ghost.hasCredentials = true
      case .commitRefresh:
        #expect(
          !next.ghost.isLoggedOut || next.ghost.theyAreSignedIn, "nothing is stored after a logout: \(event)")
        next.ghost.hasCredentials = true
      case .runLogin(let attempt): #expect(next.ghost.loginRuns.insert(attempt).inserted)
      case .runRefresh(let attempt, _):
        #expect(next.ghost.refreshRuns.insert(attempt).inserted)
        if let count = next.ghost.refreshesSinceRejection {
          next.ghost.refreshesSinceRejection = count + 1
          #expect(count == 0, "one refresh for one rejected session")
        }
        if case .refreshing(_, _, attempt) = next.machine.state {
        } else {
          Issue.record("a refresh that nobody waits for")
        }
      default: break
      }
    }
    if case .replicatorFailed(let code) = event, code.meaning != .credentialRejected {
      #expect(next.machine == point.machine, "code \(code) is no failure of credentials")
    }
    let conclusions = effects.filter { if case .conclude = $0 { true } else { false } }
    #expect(conclusions.count <= 1)
    if let conclusion = conclusions.first { #expect(effects.last == conclusion, "the conclusion comes last") }
    #expect(next.ghost.wipeWasAsked || (next.ghost.hasDatabaseKey && next.ghost.hasDeviceId))
    return next
  }

  static func explore(from stored: StoredSession, depth: Int) -> Set<Point> {
    var machine = SessionMachine(skew: 300)
    _ = machine.handle(.loaded(stored), now: now)
    var seen: Set<Point> = [Point(machine: machine, ghost: Ghost())]
    var frontier = seen
    for _ in 0..<depth {
      var reached: Set<Point> = []
      for point in frontier {
        for event in events(at: point) {
          let next = step(point, event)
          if seen.insert(next).inserted { reached.insert(next) }
        }
      }
      frontier = reached
    }
    return seen
  }

  @Test(arguments: starts) func promisesHoldOnEverySequence(_ stored: StoredSession) {
    let points = MachineExplorationTests.explore(from: stored, depth: 6)
    #expect(points.count > 500, "the exploration did not go anywhere")
    for point in points {
      if !point.ghost.wipeWasAsked {
        #expect(point.ghost.hasDatabaseKey && point.ghost.hasDeviceId)
      }
      if point.ghost.isLoggedOut, !point.ghost.theyAreSignedIn, point.machine.signingIn == nil {
        #expect(point.machine.state == .signedOut, "a logout is the end: \(point.machine.state)")
      }
    }
  }

  @Test(arguments: starts) func everyStateHasAWayForward(_ stored: StoredSession) {
    for point in MachineExplorationTests.explore(from: stored, depth: 4) {
      var machine = point.machine
      guard case .runLogin(let attempt)? = machine.handle(.loginRequested, now: Self.now).first else {
        Issue.record("no sign-in from \(point.machine)")
        continue
      }
      #expect(machine.handle(.loginSucceeded(attempt: attempt), now: Self.now) == [.commitSignIn(attempt: attempt)])
      let effects = machine.handle(.signInCommitted(attempt: attempt, Self.other), now: Self.now)
      #expect(machine.state == .signedIn(Self.other))
      #expect(effects.last == .conclude(.signedIn))
      #expect(machine.signingIn == nil)
    }
  }

  @Test(arguments: starts) func aRefreshUnderWayAlwaysEnds(_ stored: StoredSession) {
    for point in MachineExplorationTests.explore(from: stored, depth: 4) {
      guard case .refreshing(_, _, let attempt) = point.machine.state else { continue }
      for trouble in Trouble.allCases {
        var machine = point.machine
        let effects = machine.handle(.refreshFailed(attempt: attempt, trouble), now: Self.now)
        if case .refreshing = machine.state { Issue.record("still refreshing after \(trouble)") }
        if case .conclude? = effects.last {} else { Issue.record("no conclusion after \(trouble)") }
      }
    }
  }
}
