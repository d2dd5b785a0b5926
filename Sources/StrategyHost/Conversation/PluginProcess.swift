internal import Basics
internal import CLinux
internal import Glibc

/// A running `mfs-strategy-host`: no environment but what the conformance kit gives to a program of its own, its own
/// process group, and no descriptors but the channel (3), the plugin's memory (4) and a pipe for whatever it prints. It does
/// not outlive this value.
final class PluginProcess {
  /// How it ended.
  enum End: Equatable {
    case exited(Int32)
    case killed(by: Int32)
  }

  let channel: PluginChannel
  /// Where it loads the plugin from.
  let memory: PluginMemory
  /// Can be read once the process has ended.
  var ended: Int32 { process.descriptor }
  /// What it prints, to be read without waiting.
  var output: Int32 { printed.raw }

  private let process: ChildProcess
  private let printed: FileDescriptor
  private var end: End?

  /// Starts the program, which loads the plugin from `memory` once that is sealed and it is told to run. Throws
  /// ``FailureCode/pluginRefused`` when it is not there, ``FailureCode/inputOutput``.
  init(runner: String, memory: PluginMemory, variables: [(name: String, value: String)] = []) throws(Failure) {
    self.memory = memory
    let sockets = try PluginProcess.socketPair()
    let output = try PluginProcess.pipe()
    guard unsafe access(runner, X_OK) == 0 else {
      throw Failure.system(
        "start \(OutsideText.clean(runner, limit: 300)), which runs plugins", code: .pluginRefused,
        hint: "install mfsctl again; it belongs beside mfsctl-full")
    }
    process = try ChildProcess(
      runner, ["mfs-strategy-host"], variables: .only(variables),
      descriptors: [
        .null, .copy(of: output.theirs.raw), .copy(of: output.theirs.raw), .copy(of: sockets.theirs.raw),
        .copy(of: memory.descriptor.raw),
      ])
    printed = output.ours
    channel = PluginChannel(sockets.ours)
  }

  deinit { if end == nil { _ = stop(within: 0) } }

  /// Waits for the process to end, kills it when it takes longer than so many milliseconds, and says how it ended.
  func stop(within milliseconds: Int) -> End {
    if let end { return end }
    if !process.ends(within: milliseconds) { process.signal(SIGKILL) }
    let status = process.wait()
    let result = status & 0x7F == 0 ? End.exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
    end = result
    return result
  }

  /// Two connected descriptors: this side's, which never waits, and the one for the plugin.
  private struct Ends: ~Copyable {
    let ours: FileDescriptor
    let theirs: FileDescriptor
  }

  private static func socketPair() throws(Failure) -> Ends {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw .system("make a channel to the plugin") }
    let ours = FileDescriptor(owning: pair[0]), theirs = FileDescriptor(owning: pair[1])
    _ = fcntl(ours.raw, F_SETFL, O_NONBLOCK)
    return Ends(ours: ours, theirs: theirs)
  }

  private static func pipe() throws(Failure) -> Ends {
    var pair: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&pair) == 0 else { throw .system("make a pipe to the plugin") }
    let reading = FileDescriptor(owning: pair[0]), writing = FileDescriptor(owning: pair[1])
    _ = fcntl(reading.raw, F_SETFL, O_NONBLOCK)
    return Ends(ours: reading, theirs: writing)
  }
}

extension PluginProcess.End {
  /// What happened, as the end of a sentence that begins with the plugin's name.
  var description: String {
    switch self {
    case .exited(let status): "ended with status \(status) before it answered"
    case .killed(SIGILL), .killed(SIGTRAP): "was killed by \(signalName): a fault in its code"
    // The sandbox reports each forbidden call unless signals are blocked, as the C library does to start one of these.
    case .killed(SIGSYS):
      "was killed by SIGSYS: it tried what the sandbox forbids, most likely to start a thread or a program"
    case .killed: "was killed by \(signalName)"
    }
  }

  private var signalName: String {
    guard case .killed(let number) = self else { return "" }
    let names: [Int32: String] = [
      SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
      SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE",
      SIGTERM: "SIGTERM", SIGSYS: "SIGSYS", SIGXCPU: "SIGXCPU",
    ]
    return names[number] ?? "signal \(number)"
  }
}
