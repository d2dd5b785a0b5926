internal import Basics
internal import Glibc
internal import SecureMemory
internal import StrategyWire

/// What a plugin did in one run of the conformance kit.
struct TrialOutcome {
  /// How it ended.
  enum End: Equatable {
    /// A result that the host would take, by the names of its fields.
    case success([String])
    /// A failure of the plugin's own, by its reason.
    case failure(UInt32)
    /// It broke the contract, in these words.
    case broken(String)
    /// It was refused before it was called.
    case refused(String)
    /// It was still at work when its time and more was over.
    case hung
  }

  var end: End
  /// The calls that it made, in order.
  var calls: [HostCall] = []
  /// Everything that it said for people: log, message, texts of the result.
  var said: [String] = []
  /// What the sanitizer said of its memory.
  var faults: [Sanitizer.Fault] = []

  /// The canaries in what it said.
  var leaks: [String] { ScriptedAnswers.canaries.filter { canary in said.contains { $0.contains(canary) } } }
  /// Whether the sanitizer ended it, and has said why.
  var isExplained: Bool { faults.contains { $0.check == "asan" } }
  /// Whether it ended by its own report.
  var isReported: Bool {
    switch end {
    case .success, .failure: true
    default: false
    }
  }
}

/// Runs one operation of a plugin against ``ScriptedAnswers``, in the real sandbox.
struct TrialRun {
  /// What the host answers instead of what is in the script, by the number of the call, from 0.
  enum Twist {
    /// A status without an answer, to that call and all that follow.
    case status(HostStatus, from: Int)
    /// The user cancels while that call is being made.
    case cancel(during: Int)
    /// An answer of that call alone, made of the one in the script.
    case answer(at: Int, (HostCall, WireRecord) -> WireRecord)
    /// Nothing else.
    case none
  }

  let plugin: StrategyName
  let image: SealedImage
  let runner: String
  let settings: WireRecord
  var operation = StrategyOperation.login
  var trial = WireTrial()
  var twist = Twist.none
  /// Milliseconds that the plugin is given; and as many again until it is killed.
  var timeout: UInt32 = 10_000
  /// What watches the plugin's memory; nil for nothing.
  var sanitizer: Sanitizer?

  func run() throws(Failure) -> TrialOutcome {
    let process = try PluginProcess(
      runner: runner, memory: image.memory, variables: sanitizer?.variables ?? [])
    defer { _ = process.stop(within: 0) }
    var outcome = try converse(process)
    if sanitizer != nil, outcome.end != .hung { outcome.faults = Sanitizer.faults(in: Sanitizer.output(of: process)) }
    return outcome
  }

  private func converse(_ process: PluginProcess) throws(Failure) -> TrialOutcome {
    let answers = try ScriptedAnswers()
    var outcome = TrialOutcome(end: .hung)
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: 2 * Int64(timeout))
    var isGreeted = false
    while true {
      process.channel.flush()
      switch try process.channel.receive() {
      case .closed:
        // Writing a report takes the sanitizer longer than a process has that merely ends.
        let patience = sanitizer == nil ? StrategyLimits.grace : Sanitizer.patience
        outcome.end = .broken("it \(process.stop(within: patience).description)")
        return outcome
      case .nothing:
        let left = deadline.millisecondsLeft
        guard left > 0 else { return outcome }
        var entry = pollfd(
          fd: process.channel.descriptor, events: Int16(process.channel.isSending ? POLLOUT | POLLIN : POLLIN),
          revents: 0)
        _ = unsafe poll(&entry, 1, left)
      case .frame(let frame):
        let message = try PluginMessage(frame)
        if !isGreeted, case .hello = message {
          isGreeted = true
          try send(
            .run(
              WireMessage.Run(
                strategy: plugin.text, operation: operation.rawValue, timeout: timeout, identifier: nil,
                settings: settings, trial: trial)), process)
        } else if let end = try take(message, frame, answers, process, &outcome) {
          outcome.end = end
          return outcome
        }
      }
    }
  }

  private func take(
    _ message: PluginMessage, _ frame: SecureBox, _ answers: ScriptedAnswers, _ process: PluginProcess,
    _ outcome: inout TrialOutcome
  ) throws(Failure) -> TrialOutcome.End? {
    switch message {
    case .hello: return .broken("its process began twice")
    case .log(_, let text): outcome.said.append(text)
    case .request(let id, let call, _):
      let body = unsafe frame.bytes.withBytes { unsafe Array($0) }
      guard case .request(_, _, let request) = try WireMessage(body: body[...]) else { throw .garbled }
      if call == .prompt || call == .promptShow { outcome.said.append(request.text("text") ?? "") }
      outcome.calls.append(call)
      try answer(id, call, request, at: outcome.calls.count - 1, answers, process)
    case .result(let record):
      do throws(Failure) {
        let fields = try StrategyResult.read(record, of: operation, secrets: answers.secrets)
        // What a plugin keeps for itself stays in the vault.
        for (name, value) in fields where !name.hasPrefix("plugin.") {
          if case .text(let text) = value { outcome.said.append(text) }
        }
        return .success(fields.keys.sorted())
      } catch { return .broken(error.message) }
    case .failure(let fault):
      outcome.said.append(fault.message)
      return .failure(fault.reason)
    case .refused(let text): return .refused(OutsideText.clean(text, limit: 400))
    case .broken(let text): return .broken(OutsideText.clean(text, limit: 400))
    }
    return nil
  }

  private func answer(
    _ id: UInt32, _ call: HostCall, _ request: WireRecord, at number: Int, _ answers: ScriptedAnswers,
    _ process: PluginProcess
  ) throws(Failure) {
    switch twist {
    case .cancel(let during) where number == during: return try send(.cancel, process)
    case .status(let status, let first) where number >= first:
      return try send(.response(id: id, status, ["message": .text("the script says so")]), process)
    default: break
    }
    var answer = try answers.answer(call, request)
    if case .answer(number, let change) = twist { answer = change(call, answer) }
    try send(.response(id: id, .ok, answer), process)
  }

  private func send(_ message: WireMessage, _ process: PluginProcess) throws(Failure) {
    let bytes = try message.frame()
    let frame = try SecureBytes(count: bytes.count)
    unsafe frame.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
    process.channel.send(SecureBox(frame))
    process.channel.flush()
  }
}
