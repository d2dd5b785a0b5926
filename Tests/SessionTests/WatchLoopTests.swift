import Basics
import Foundation
import StrategyHost
import Testing

@testable import Session

/// An alarm that rings when a test says that the clock was set: the clock of the machine is not a test's to set.
private final class ScriptedAlarm: WallAlarm {
  private let pipe = Pipe()
  var descriptor: Int32 { pipe.fileHandleForReading.fileDescriptor }
  func clockIsSet() { pipe.fileHandleForWriting.write(Data([1])) }
  func ring(at moment: Timestamp?) throws(Failure) {}
  func take() -> Bool { pipe.fileHandleForReading.readData(ofLength: 1).count == 1 }
}

private final class NoChanges: VaultChanges {
  var descriptor: Int32? { nil }
  func haveCome() -> Bool { false }
}

@Suite struct WatchLoopTests {
  /// After a failure the next try is a minute away. The clock is set, or the machine was asleep: it comes within seconds.
  @Test func aClockThatIsSetBringsTheNextTryForward() throws {
    let fixture = Fixture(), alarm = ScriptedAlarm()
    fixture.now = Timestamp.now()
    // Due at once, and alive for a while.
    try fixture.signIn(until: fixture.now.advanced(by: 100))
    var tries = 0
    let strategies = ScriptedStrategies { _, _ throws(Failure) in
      tries += 1
      if tries > 1 { return .failure(StrategyFailure(.badCredentials, "no", status: 401)) }
      alarm.clockIsSet()
      return .failure(StrategyFailure(.server, "busy", status: 503, retryAfter: 60))
    }
    var told: [String] = []
    let started = MonotonicInstant.now()
    let loop = try WatchLoop(
      changes: NoChanges(), hooks: WatchHooks(onCredential: nil, onSignedOut: nil, profile: .default),
      signals: try WatchSignals(), waitsForSignIn: false, alarm: alarm,
      onEvent: { event throws(Failure) in told.append("\(event.kind.rawValue) \(event.reason ?? "")") },
      makeWatch: { onEvent in
        SessionWatch(
          skew: 300,
          service: { () throws(Failure) in
            do { return try fixture.service(strategies) } catch {
              throw error as? Failure ?? Failure(.bug, "\(error)")
            }
          },
          random: { 0.5 }, onEvent: onEvent)
      })
    let ending = try loop.run()
    #expect(MonotonicInstant.now() < started.advanced(bySeconds: 40), "it waited as if nothing had happened")
    #expect(tries == 2 && told == ["credential found", "retry session.network", "signInNeeded rejected"], "\(told)")
    guard case .signInNeeded = ending else {
      Issue.record("ended otherwise: \(ending)")
      return
    }
  }
}
