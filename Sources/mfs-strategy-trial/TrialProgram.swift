internal import CLinux
internal import Glibc
internal import StrategyRunner
internal import StrategyWire

/// Runs one operation of a plugin for the conformance kit, where AddressSanitizer watches its memory: as mfs-strategy-host
/// does, but not shut in, since the sanitizer's runtime opens files, maps terabytes and starts a thread that stops this
/// one. `mfsctl strategy check --asan` starts it, and nothing else does.
@main enum TrialProgram {
  static func main() {
    let channel = Channel()
    // Out of the way of a plugin that counts on it.
    _ = clinux_die_with_parent(SIGKILL)
    do throws(Ending) {
      try channel.send(.hello(WireMessage.Hello(abi: PluginLibrary.abi, landlock: 0)))
      guard case .run(let run) = try channel.receive() else { throw .alone }
      unsafe Trial.current = run.trial
      let plugin = try PluginLibrary(strategy: run.strategy)
      let operation = unsafe try plugin.operation(run.operation)
      let report = unsafe try Conversation(channel, timeout: run.timeout).run(operation, run)
      try channel.send(report)
      lookForLeaks()
      _exit(0)
    } catch { error.leave(channel) }
  }

  // What the runtime offers for it; the report goes to stderr.
  private static func lookForLeaks() {
    guard let symbol = unsafe dlsym(nil, "__lsan_do_recoverable_leak_check") else { return }
    _ = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
  }
}
