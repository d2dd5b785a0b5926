internal import Basics
internal import HTTPServer

/// Plays a scenario: its beginning at once, and each moment of its script in real time.
final class ScenarioPlayer: Sendable {
  private struct State {
    /// Which play it is: a later one ends the script of the one before.
    var play = 0
    var threads: [Thread] = []
    /// By how many seconds the script has moved the clock.
    var skew: Int64 = 0
  }

  private let gateway: Gateway
  private let provider: IdentityProvider?
  private let clock: LabClock
  private let state = Monitor(State())

  init(gateway: Gateway, provider: IdentityProvider?, clock: LabClock) {
    self.gateway = gateway
    self.provider = provider
    self.clock = clock
  }

  /// Plays a scenario from its beginning; what its script does at 0 s is done when this returns. The script that was playing
  /// ends, and the clock is where it was without it.
  /// Throws ``FailureCode/inputOutput`` when there is no room for a thread; then nothing has changed.
  func play(_ scenario: Scenario) throws(Failure) {
    let ended = try state.withLock { state -> Result<[Thread], Failure> in
      let play = state.play + 1
      let script = scenario.script
      do throws(Failure) {
        let ended = state.threads
        state.threads = script.moments.isEmpty ? [] : [try Thread { [self] in follow(script, play: play) }]
        state.play = play
        gateway.scenario = scenario
        provider?.scenario = scenario.provider
        move(to: 0, &state)
        if let first = script.moments.first, first.at == 0 { come(to: first, &state) }
        return .success(ended)
      } catch { return .failure(error) }
    }.get()
    for thread in ended { thread.join() }
  }

  /// Ends the script; what it changed stays.
  func stop() {
    let ended = state.withLock { state in
      state.play += 1
      defer { state.threads = [] }
      return state.threads
    }
    for thread in ended { thread.join() }
  }

  private func follow(_ script: Script, play: Int) {
    let beginning = MonotonicInstant.now()
    for moment in script.moments where moment.at > 0 {
      let due = beginning.advanced(byMilliseconds: moment.at)
      guard state.wait(until: due, { $0.play != play ? true : nil }) == nil else { return }
      let isOver = state.withLock { state in
        guard state.play == play else { return true }
        come(to: moment, &state)
        return false
      }
      if isOver { return }
    }
  }

  private func come(to moment: Script.Moment, _ state: inout State) {
    gateway.change(to: moment.options, moment.faults)
    provider?.change(to: moment.provider)
    move(to: moment.skew, &state)
    for action in moment.actions {
      switch action {
      // Without a new key the old one goes on signing.
      case .rotateKeys: try? provider?.rotateKeys()
      case .expireSessions: gateway.expireSessions()
      case .endSignIns: provider?.endSignIns()
      case .closeReplications(let code): gateway.closeReplications(code)
      case .cutReplications: gateway.cutReplications()
      }
    }
  }

  private func move(to skew: Int64, _ state: inout State) {
    clock.advance(by: skew - state.skew)
    state.skew = skew
  }
}
