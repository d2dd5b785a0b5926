internal import Basics
internal import CommandLine
internal import Session
internal import mfsctlCommands

/// `session status`: exits 0 whatever it finds, a vault that cannot be opened and settings that cannot be used
/// included; only a wrong command line is an error.
func sessionStatus(_ opener: BackendOpener, _ strategies: @escaping StrategyMaker) -> Program.Handler {
  { invocation, console throws(Failure) in
    var status: SessionStatus?
    var call: SessionCall?
    do throws(Failure) {
      let look = opener.handler { vault throws(Failure) in
        let current = SessionCall(vault: vault, strategies: strategies)
        call = current
        status = try current.service().status()
        return .done
      }
      _ = try look(invocation, console)
    } catch {
      guard error.code != .usage else { throw error }
      // What the settings say is worth showing even when the vault cannot be opened.
      let strategy = call.flatMap { try? $0.configuration().strategy }
      status = SessionStatus(unknownBecause: error, strategy: strategy)
    }
    guard let status else { throw Failure(.bug, "there is no status") }
    if console.json {
      try console.document(status.json)
    } else {
      for line in status.lines(at: .now()) { try console.line(line) }
    }
    return .done
  }
}
