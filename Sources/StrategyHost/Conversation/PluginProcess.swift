internal import Basics
internal import CLinux
internal import Glibc

/// A running `mfs-strategy-host`: no environment but what the conformance kit gives to its own program, its own process group, and no descriptors but the channel (3), the
/// plugin's sealed bytes (4) and a pipe for whatever it prints. It does not outlive this value.
final class PluginProcess {
  /// How it ended.
  enum End: Equatable {
    case exited(Int32)
    case killed(by: Int32)
  }

  let channel: PluginChannel
  /// Can be read once the process has ended.
  var ended: Int32 { handle.raw }
  /// What it prints, to be read without waiting.
  var output: Int32 { printed.raw }

  private let process: pid_t
  private let handle: FileDescriptor
  private let printed: FileDescriptor
  private var end: End?

  /// Starts the program. Throws ``FailureCode/pluginRefused`` when it is not there, ``FailureCode/inputOutput``.
  init(runner: String, image: SealedImage, environment: [String] = []) throws(Failure) {
    let sockets = try PluginProcess.socketPair()
    let output = try PluginProcess.pipe()
    // Above the numbers that they are given in the child, so that none is overwritten before it is copied.
    let library = try PluginProcess.raised(image.descriptor.raw)
    let empty = try FileDescriptor.open("/dev/null", flags: O_RDONLY)
    let standardInput = try PluginProcess.raised(empty.raw)
    process = try PluginProcess.spawn(
      runner,
      [
        (standardInput.raw, 0), (output.theirs.raw, 1), (output.theirs.raw, 2), (sockets.theirs.raw, 3),
        (library.raw, 4),
      ], environment)
    let number = clinux_pidfd_open(process)
    guard number >= 0 else {
      let failure = Failure.system("watch the plugin's process")
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
      throw failure
    }
    handle = FileDescriptor(owning: number)
    printed = output.ours
    channel = PluginChannel(sockets.ours)
  }

  deinit { if end == nil { _ = stop(within: 0) } }

  /// Waits for the process to end, kills it when it takes longer than so many milliseconds, and says how it ended.
  func stop(within milliseconds: Int) -> End {
    if let end { return end }
    if !waits(milliseconds) { kill(process, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, clinux_errno() == EINTR {}
    let result = status & 0x7F == 0 ? End.exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
    end = result
    return result
  }

  private func waits(_ milliseconds: Int) -> Bool {
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: Int64(milliseconds))
    var entry = pollfd(fd: handle.raw, events: Int16(POLLIN), revents: 0)
    while true {
      let count = unsafe poll(&entry, 1, deadline.millisecondsLeft)
      if count > 0 { return true }
      if count == 0 || clinux_errno() != EINTR { return false }
    }
  }

  private static func spawn(
    _ runner: String, _ descriptors: [(from: Int32, to: Int32)], _ variables: [String]
  ) throws(Failure) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (from, to) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, from, to) }
    unsafe clinux_spawn_close_from(&actions, 5)
    // Signals as in a fresh program; its own group, so that a Ctrl-C reaches this side alone, which then asks it to end.
    var none = sigset_t(), all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var process: pid_t = 0
    let name = unsafe strdup("mfs-strategy-host")
    defer { unsafe free(name) }
    var arguments = unsafe [name, nil]
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe environment.indices { unsafe free(environment[index]) } }
    let code = unsafe posix_spawn(&process, runner, &actions, &attributes, &arguments, &environment)
    guard code == 0 else {
      throw Failure(
        .pluginRefused,
        "cannot start \(OutsideText.clean(runner, limit: 300)), which runs plugins: \(systemErrorText(code))",
        hint: "install mfsctl again; it belongs beside mfsctl-full")
    }
    return process
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
    return Ends(ours: ours, theirs: try raised(theirs.raw))
  }

  private static func pipe() throws(Failure) -> Ends {
    var pair: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&pair) == 0 else { throw .system("make a pipe to the plugin") }
    let reading = FileDescriptor(owning: pair[0]), writing = FileDescriptor(owning: pair[1])
    _ = fcntl(reading.raw, F_SETFL, O_NONBLOCK)
    return Ends(ours: reading, theirs: try raised(writing.raw))
  }

  /// A copy of a descriptor with a number of 10 or more.
  private static func raised(_ number: Int32) throws(Failure) -> FileDescriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 10)
    guard copy >= 0 else { throw .system("copy a descriptor") }
    return FileDescriptor(owning: copy)
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
