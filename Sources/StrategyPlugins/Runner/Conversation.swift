internal import Basics
package import CStrategyABI
internal import Glibc
internal import StrategyBridge
package import StrategyWire

/// One run of the plugin: what it may do now, and what it has reported.
///
/// The functions of the host's table find it in ``current``, not in their context argument: there is one to a process, and
/// a plugin that passes a wrong context harms nobody.
package final class Conversation {
  /// The run of this process; nil outside an operation.
  private nonisolated(unsafe) static var running: Conversation?

  let channel: Channel
  private let deadline: Int64
  private var isCancelled = false
  private var lastRequest: UInt32 = 0
  private var report: WireMessage?

  package init(_ channel: Channel, timeout: UInt32) {
    self.channel = channel
    deadline = MonotonicInstant.now().nanoseconds + Int64(timeout) * 1_000_000
  }

  /// Runs an operation and returns what the plugin reported.
  package func run(_ operation: mfs_operation_t, _ run: WireMessage.Run) throws(Ending) -> WireMessage {
    let settings = LentRecord(run.settings, spacing: Trial.spacing)
    var call = unsafe mfs_call_t()
    unsafe call.struct_size = UInt32(MemoryLayout<mfs_call_t>.size)
    unsafe call.operation = run.operation
    unsafe call.deadline = deadline
    unsafe call.settings = unsafe settings.record
    if let identifier = run.identifier { unsafe call.identifier = unsafe settings.lend(identifier.utf8) }
    unsafe Conversation.running = self
    unsafe HostTable.withTables { host, sink in unsafe operation(host, HostTable.constant(call), sink) }
    unsafe Conversation.running = nil
    guard let report else { throw .broken("it returned without reporting a result") }
    return report
  }

  /// The run that a call of the plugin's belongs to. A call that belongs to none or comes after the report ends the process.
  /// No other thread can call: the sandbox lets none be started.
  static func current(for function: StaticString) -> Conversation {
    guard let conversation = unsafe running else {
      Ending.broken("it called \(function) outside an operation").leave(Channel())
    }
    guard conversation.report == nil else {
      Ending.broken("it called \(function) after it had reported a result").leave(conversation.channel)
    }
    return conversation
  }

  /// Takes the plugin's report; it is sent when the operation has returned.
  func take(_ message: WireMessage) { report = message }

  /// Why the plugin is to stop: cancelled or too late; nil when it is not.
  func interruption() throws(Ending) -> HostStatus? {
    while !isCancelled, let message = try channel.receiveNow() { try note(message) }
    if isCancelled { return .cancelled }
    return MonotonicInstant.now().nanoseconds >= deadline ? .timeout : nil
  }

  /// Asks the parent and waits for its answer, or for a cancellation.
  func ask(_ call: HostCall, _ fields: WireRecord) throws(Ending) -> (HostStatus, WireRecord) {
    if let status = try interruption() {
      return (status, ["message": .text(status == .cancelled ? "the user cancelled" : "the time is up")])
    }
    lastRequest += 1
    try channel.send(.request(id: lastRequest, call, fields))
    while !isCancelled {
      let message = try channel.receive()
      if case .response(let id, let status, let answer) = message, id == lastRequest { return (status, answer) }
      try note(message)
    }
    return (.cancelled, ["message": .text("the user cancelled")])
  }

  // What else may arrive: a cancellation, or the answer to a request that a cancellation overtook.
  private func note(_ message: WireMessage) throws(Ending) {
    switch message {
    case .cancel: isCancelled = true
    case .response(let id, _, _) where id < lastRequest: break
    default: throw .alone
    }
  }
}
