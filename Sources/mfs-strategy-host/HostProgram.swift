internal import Glibc
internal import StrategyRunner
internal import StrategyWire

/// Runs one operation of one plugin, shut in. mfsctl starts it with the channel as descriptor 3, memory that holds the
/// plugin's verified and sealed bytes by the time it is told to run as descriptor 4, no environment and no arguments.
@main enum HostProgram {
  static func main() {
    let channel = Channel()
    do throws(Ending) {
      let landlock = try Isolation.enter()
      try channel.send(.hello(WireMessage.Hello(abi: PluginLibrary.abi, landlock: landlock)))
      guard case .run(let run) = try channel.receive() else { throw .alone }
      try Isolation.checkSeals()
      unsafe Trial.current = run.trial
      let plugin = try PluginLibrary(strategy: run.strategy)
      let operation = unsafe try plugin.operation(run.operation)
      let report = unsafe try Conversation(channel, timeout: run.timeout).run(operation, run)
      try channel.send(report)
      // Not exit: what the plugin left to be run at exit does not run.
      _exit(0)
    } catch { error.leave(channel) }
  }
}
