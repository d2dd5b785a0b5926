internal import Basics
internal import CLinux
internal import Glibc
internal import SecureMemory
internal import StrategyWire

/// One run of a plugin, seen from the parent: it starts the conversation, serves the calls and ends it in time.
final class Conversation {
  private let plugin: StrategyName
  private let call: StrategyCall
  private let isolation: Isolation
  private let process: PluginProcess
  private let calls: HostCalls
  private let watch: InterruptionWatch
  private let log: PluginLog
  /// Writes down each call; nil when nothing is recorded.
  var recorder: StrategyRecorder?
  /// Answers each call in place of this side; nil when it answers itself.
  var replay: StrategyReplay?
  private var isGreeted = false
  private var lastRequest: UInt32 = 0
  /// Why the run is being ended, and when it is killed; nil while it goes on.
  private var ending: (failure: Failure, killAt: MonotonicInstant)?

  init(
    _ plugin: StrategyName, _ call: StrategyCall, isolation: Isolation, process: PluginProcess, calls: HostCalls,
    watch: InterruptionWatch, log: PluginLog
  ) {
    self.plugin = plugin
    self.call = call
    self.isolation = isolation
    self.process = process
    self.calls = calls
    self.watch = watch
    self.log = log
    calls.cancellation = [process.ended] + [watch.descriptor].compactMap { $0 }
  }

  /// Talks until the plugin has answered or cannot answer any more. Its process is gone when this returns or throws.
  func run() throws(Failure) -> StrategyOutcome {
    defer {
      _ = process.stop(within: 0)
      log.drain(process.output)
      log.flush()
    }
    while true {
      if let outcome = try readAll() { return outcome }
      process.channel.flush()
      try wait()
    }
  }

  /// Handles what has come in; returns the outcome once there is one. While an answer is still being sent nothing is read, so
  /// that a plugin that asks without listening fills its own buffers only.
  private func readAll() throws(Failure) -> StrategyOutcome? {
    // A plugin that talks without pause must not keep this side from looking at the clock.
    for _ in 0..<8 where !process.channel.isSending {
      switch try contract({ () throws(Failure) in try process.channel.receive() }) {
      case .nothing: return nil
      case .closed: throw ended(process.stop(within: StrategyLimits.grace))
      case .frame(let frame):
        let message = try contract { () throws(Failure) in try PluginMessage(frame) }
        if let outcome = try handle(message) { return outcome }
        process.channel.flush()
      }
    }
    return nil
  }

  private func handle(_ message: PluginMessage) throws(Failure) -> StrategyOutcome? {
    if case .refused(let text) = message { throw refused(log.clean(text)) }
    guard isGreeted else {
      guard case .hello(let hello) = message else { throw broken("its process did not begin as it should") }
      try greet(hello)
      return nil
    }
    switch message {
    case .hello: throw broken("its process began twice")
    case .log(let level, let text): log.line(level, text)
    case .request(let id, let call, let record):
      guard id == lastRequest &+ 1 else { throw broken("its calls are not in order") }
      lastRequest = id
      let reply = ending == nil ? try answer(call, record) : .no(.cancelled, "the run is over")
      process.channel.send(try reply.frame(id: id))
      // An interruption ends the call early, and must be known before what the plugin then says of it is read.
      try lookForInterruption()
    case .result(let record):
      // One that comes after its time is taken all the same: it may hold the only copy of a new session.
      let fields = try contract { () throws(Failure) in
        try StrategyResult.read(record, of: call.operation, secrets: calls.secrets)
      }
      _ = process.stop(within: StrategyLimits.grace)
      return .success(fields)
    case .failure(let fault):
      if let ending { throw ending.failure }
      guard let reason = StrategyFailure.Reason(rawValue: fault.reason) else {
        throw broken("it failed for a reason that is not known")
      }
      _ = process.stop(within: StrategyLimits.grace)
      return .failure(
        StrategyFailure(
          reason, log.clean(fault.message), status: fault.status.flatMap { (100...999).contains($0) ? Int($0) : nil },
          retryAfter: fault.retryAfter.flatMap { (0...31_536_000).contains($0) ? Int($0) : nil }))
    case .refused: break
    case .broken(let text): throw ending?.failure ?? broken(log.clean(text))
    }
    return nil
  }

  private func greet(_ hello: WireMessage.Hello) throws(Failure) {
    guard hello.version == WireMessage.version else {
      throw refused("mfs-strategy-host is of another version than mfsctl")
    }
    guard hello.landlock > 0 || isolation == .prefer else {
      throw Failure(
        .pluginRefused, "the plugin '\(plugin)' is not run: this kernel has no Landlock to shut it in with",
        hint:
          "use a kernel with Landlock enabled (CONFIG_SECURITY_LANDLOCK, and landlock among the modules of lsm=), or "
          + "accept the system call filter alone with --isolation prefer")
    }
    isGreeted = true
    let left = Int64(max(1, calls.deadline.millisecondsLeft))
    // This side keeps the time; it does not count what a person takes to answer, and that is not known beforehand.
    let patience: Int64 = calls.grants.mayPrompt || calls.grants.mayBrowse ? 3_600_000 : 0
    let run = WireMessage.Run(
      strategy: plugin.text, operation: call.operation.rawValue, timeout: UInt32(clamping: left + patience),
      identifier: call.identifier, settings: WireRecord(calls.grants.settings.map { .init($0.name, .text($0.value)) }))
    try send(.run(run))
  }

  private func answer(_ hostCall: HostCall, _ record: PluginRecord) throws(Failure) -> Reply {
    do throws(Failure) {
      if let replay { return try replay.answer(hostCall, record, calls.secrets) }
      let reply = try calls.answer(hostCall, record)
      recorder?.note(hostCall, record, reply)
      return reply
    } catch {
      recorder?.note(hostCall, record, endedBy: error)
      guard error.code == .pluginFailed else { throw error }
      throw broken(error.message)
    }
  }

  private func send(_ message: WireMessage) throws(Failure) {
    let bytes = try message.frame()
    let frame = try SecureBytes(count: bytes.count)
    unsafe frame.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
    process.channel.send(SecureBox(frame))
  }

  /// Waits until something happens: a message, a print, an interruption, the deadline.
  private func wait() throws(Failure) {
    let left = (ending?.killAt ?? calls.deadline).millisecondsLeft
    if left == 0 { return try timeIsUp() }
    var entries = [
      pollfd(
        fd: process.channel.descriptor, events: Int16(process.channel.isSending ? POLLOUT : POLLIN), revents: 0),
      pollfd(fd: process.output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ending == nil ? watch.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
    ]
    // Its output ends with it; a closed pipe is always ready, so it is left out from then on.
    if isOutputClosed { entries[1].fd = -1 }
    let count = unsafe poll(&entries, UInt(entries.count), left)
    guard count > 0 else {
      if count < 0, clinux_errno() != EINTR { throw .system("wait for the plugin") }
      return
    }
    if entries[1].revents != 0 {
      log.drain(process.output)
      isOutputClosed = Int32(entries[1].revents) & POLLIN == 0
    }
    if entries[2].revents != 0 { try interrupted() }
    // A side that is gone while something is still to be sent: what it said before is read, and then its end.
    if process.channel.isSending, Int32(entries[0].revents) & (POLLERR | POLLHUP) != 0 {
      process.channel.dropOutgoing()
    }
  }

  private var isOutputClosed = false

  private func lookForInterruption() throws(Failure) {
    guard ending == nil, let descriptor = watch.descriptor else { return }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&entry, 1, 0) > 0 { try interrupted() }
  }

  private func interrupted() throws(Failure) {
    watch.consume()
    try end(Failure(.cancelled, "cancelled while the plugin '\(plugin)' was at work"))
  }

  private func timeIsUp() throws(Failure) {
    if let ending {
      log.note("it did not stop when it was asked to, and was killed")
      throw ending.failure
    }
    try end(
      Failure(
        .pluginFailed, "the plugin '\(plugin)' was not done after \(call.timeout) seconds",
        hint: "try again; if it happens each time, tell the plugin's author"))
  }

  /// Asks the plugin to end, and gives it a moment.
  private func end(_ failure: Failure) throws(Failure) {
    guard ending == nil else { return }
    ending = (failure, MonotonicInstant.now().advanced(byMilliseconds: Int64(StrategyLimits.grace)))
    try send(.cancel)
  }

  private func ended(_ end: PluginProcess.End) -> Failure {
    if let ending { return ending.failure }
    if !isGreeted, case .exited = end { return refused("its process \(end.description)") }
    return broken("it \(end.description)")
  }

  private func refused(_ text: String) -> Failure {
    Failure(.pluginRefused, "the plugin '\(plugin)' is refused: \(text)", hint: "see docs/PLUGINS.md")
  }

  private func broken(_ text: String) -> Failure {
    Failure(
      .pluginFailed, "the plugin '\(plugin)' failed: \(text)",
      hint: "--verbose shows its log; if it happens again, tell the plugin's author")
  }

  /// Runs what fails when the plugin breaks its contract, and names the plugin then.
  private func contract<R>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
    do throws(Failure) { return try body() } catch {
      guard error.code == .pluginFailed else { throw error }
      throw broken(error.message)
    }
  }
}
