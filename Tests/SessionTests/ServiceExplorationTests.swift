import Basics
import Foundation
import Session
import StrategyHost
import Testing

/// The rules with a real service, a vault and the answers of a server: every sequence of what people, replicators and other
/// processes can do, up to six steps, from a device that is signed in.
@Suite struct ServiceExplorationTests {
  enum Step: CaseIterable {
    case login, loginRefused, refresh, refreshRefused, refreshUnreachable, refreshServerError, restoreLater
    case rejected401, rejected404Unreachable, rejected401Refused, logoutDuringRefresh, loginDuringRefresh, logout, wipe
  }

  private static let refusals: [Step: StrategyFailure.Reason] = [
    .loginRefused: .badCredentials, .refreshRefused: .badCredentials, .refreshUnreachable: .network,
    .refreshServerError: .server, .rejected404Unreachable: .network, .rejected401Refused: .badCredentials,
  ]

  /// A server that answers as a step wants, and what happens while it is asked.
  private static func strategies(_ step: Step, _ fixture: Fixture) -> ScriptedStrategies {
    ScriptedStrategies { call, _ throws(Failure) in
      if call.operation == .logout { return .success([:]) }
      if let reason = refusals[step] { return .failure(StrategyFailure(reason, "no", status: 401)) }
      if call.operation == .refresh {
        do {
          if step == .logoutDuringRefresh { _ = try fixture.logOut(Fixture.failing(.network)) }
          if step == .loginDuringRefresh { try fixture.signIn(until: fixture.now.advanced(by: 7_200)) }
        } catch { throw Failure(.bug, "\(error)") }
      }
      return try cookie(Canary.refreshed, until: fixture.now.advanced(by: 3_600))
    }
  }

  private static func take(_ step: Step, _ fixture: Fixture) throws -> (refreshes: Int, state: SessionStatus.State) {
    let strategies = strategies(step, fixture)
    var state: SessionStatus.State?
    switch step {
    case .login, .loginRefused:
      state = try? fixture.service(strategies).login(identifier: "bob", prompter: ScriptedPrompter([:])).state
    case .refresh, .refreshRefused, .refreshUnreachable, .refreshServerError, .logoutDuringRefresh, .loginDuringRefresh:
      state = try fixture.service(strategies).refresh().status.state
    case .restoreLater:
      fixture.now = fixture.now.advanced(by: 30_000)
      state = try fixture.service(strategies).restore().status.state
    case .rejected401, .rejected401Refused:
      state = try fixture.service(strategies).replicatorFailed(ReplicatorCode(401)).status.state
    case .rejected404Unreachable:
      state = try fixture.service(strategies).replicatorFailed(ReplicatorCode(10_404)).status.state
    case .logout, .wipe: _ = try fixture.logOut(strategies, wipe: step == .wipe)
    }
    let stands = try state ?? fixture.service(ScriptedStrategies.never()).status().state
    return (strategies.operations.filter { $0 == .refresh }.count, stands)
  }

  /// Takes one step and checks what it promises.
  private static func check(_ step: Step, _ fixture: Fixture, _ path: [Step]) throws {
    let before = fixture.store.values
    let (refreshes, state) = try take(step, fixture)
    let after = fixture.store.values
    let names = Set(after.keys.filter { $0.hasPrefix("auth.") })
    let shown = "\(path + [step])"
    #expect(refreshes <= 1, "\(shown): one refresh for one failure")
    for name in ["mfs.dbkey.main", "mfs.deviceId"] where step != .wipe {
      #expect(before[name] == nil || after[name] == before[name], "\(shown): only a wipe removes \(name)")
    }
    switch step {
    case .wipe: #expect(after.isEmpty, "\(shown)")
    case .logout: #expect(names.isEmpty, "\(shown): \(names)")
    case .logoutDuringRefresh where refreshes == 1: #expect(names.isEmpty, "\(shown): a late result is not stored")
    case .loginDuringRefresh where refreshes == 1:
      #expect(fixture.store.text("auth.sessionId") == Canary.session, "\(shown): the newer sign-in stays")
    case .refreshUnreachable, .refreshServerError:
      #expect(after == before, "\(shown): trouble that passes changes nothing")
    case .loginRefused: #expect(after == before, "\(shown)")
    case .rejected404Unreachable:
      #expect(before["auth.password"] == after["auth.password"], "\(shown): what gets a new session stays")
    default: break
    }
    if before["auth.signInId"] == nil, ![.login, .loginDuringRefresh].contains(step) {
      #expect(after["auth.signInId"] == nil && refreshes == 0, "\(shown): nothing is written or asked after a sign-out")
    }
    // There is a way on from everywhere.
    let needsPerson = state == .signedOut || state == .signInNeeded
    let canRefresh = after["auth.password"] != nil
    #expect(needsPerson || canRefresh, "\(shown): \(state)")
  }

  /// Where a device stands: a vault is all that there is to begin with again from. The id of a sign-in is drawn anew each
  /// time, and says nothing but which sign-in it is.
  private struct Point: Hashable {
    let values: [String: [UInt8]]
    let now: Timestamp

    init(_ fixture: Fixture) {
      let id = fixture.store.values["auth.signInId"] ?? []
      values = fixture.store.values.mapValues { id.isEmpty ? $0 : $0.replacing(id, with: Array("sign-in".utf8)) }
      now = fixture.now
    }
  }

  /// Devices that stand alike go the same ways, so each is gone from once, the first time it is reached.
  @Test func everySequenceUpToSixKeepsItsPromises() throws {
    let fixture = Fixture()
    try fixture.signIn()
    var seen: Set<Point> = [Point(fixture)]
    var frontier = [(path: [Step](), values: fixture.store.values, now: fixture.now)]
    for _ in 0..<6 {
      var reached = [(path: [Step], values: [String: [UInt8]], now: Timestamp)]()
      for from in frontier {
        for step in Step.allCases {
          fixture.store.change { $0 = from.values }
          fixture.now = from.now
          fixture.said = []
          fixture.decided = []
          try ServiceExplorationTests.check(step, fixture, from.path)
          if seen.insert(Point(fixture)).inserted {
            reached.append((from.path + [step], fixture.store.values, fixture.now))
          }
        }
      }
      frontier = reached
    }
    #expect(seen.count > 50, "the exploration did not go anywhere: \(seen.count)")
    // And from anywhere, a person who signs in is signed in.
    for from in frontier {
      fixture.store.change { $0 = from.values }
      fixture.now = from.now
      #expect(try fixture.signIn(until: fixture.now.advanced(by: 7_200)).state == .signedIn, "\(from.path)")
    }
  }
}
