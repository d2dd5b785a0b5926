internal import Basics
internal import CLinux
internal import Glibc

/// A command of the user's at work, run by `sh -c` in a process group of its own. It is given what happened as one JSON line on
/// stdin; what it prints goes to stderr, since stdout is the watch's own.
final class WatchCommand {
  /// Which command, for messages.
  let option: String
  /// When it is ended.
  let deadline: MonotonicInstant
  private let child: pid_t
  private let handle: FileDescriptor
  private var hasEnded = false

  /// Can be read once it has ended.
  var descriptor: Int32 { handle.raw }

  /// Starts a command. `variables` are added to the environment. Throws ``FailureCode/inputOutput``.
  init(
    _ command: String, option: String, input: String, variables: [(String, String)], seconds: Int
  ) throws(Failure) {
    self.option = option
    deadline = MonotonicInstant.now().advanced(bySeconds: Double(seconds))
    var ends: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&ends) == 0 else { throw .system("make a pipe") }
    let reading = FileDescriptor(owning: ends[0])
    let writing = FileDescriptor(owning: ends[1])
    // It fits into the pipe, so nobody waits for a command that does not read.
    _ = clinux_set_nonblocking(writing.raw)
    try writing.write(Array((input + "\n").utf8))
    child = try WatchCommand.spawn(command, input: reading, variables)
    let number = clinux_pidfd_open(child)
    handle = FileDescriptor(owning: number)
    guard number >= 0 else {
      let failure = Failure.system("watch a command")
      stop()
      throw failure
    }
  }

  deinit { stop() }

  /// How it ended; nil while it runs.
  func outcome() -> Int32? {
    var status: Int32 = 0
    guard !hasEnded, unsafe waitpid(child, &status, WNOHANG) == child else { return nil }
    hasEnded = true
    // What it left behind in its group ends with it.
    kill(-child, SIGTERM)
    return status
  }

  /// Ends it and all that it started in its group: asks first, and insists after two seconds.
  func stop() {
    guard !hasEnded else { return }
    kill(-child, SIGTERM)
    kill(-child, SIGCONT)
    var ended = pollfd(fd: handle.raw, events: Int16(POLLIN), revents: 0)
    unsafe poll(&ended, 1, 2_000)
    // The group's number is still its own: its first process has not been waited for.
    kill(-child, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, clinux_errno() == EINTR {}
    hasEnded = true
  }

  private static func spawn(
    _ command: String, input: borrowing FileDescriptor, _ variables: [(String, String)]
  ) throws(Failure) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, input.raw, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
    unsafe clinux_spawn_close_from(&actions, 3)
    var none = sigset_t(), all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let words = ["/bin/sh", "-c", command]
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe environmentEntries(without: variables.map(\.0))
    unsafe environment += variables.map { unsafe strdup("\($0.0)=\($0.1)") } + [nil]
    defer {
      unsafe arguments.forEach { unsafe free($0) }
      unsafe environment.forEach { unsafe free($0) }
    }
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, &environment)
    guard status == 0 else { throw Failure(.inputOutput, "cannot run /bin/sh: \(systemErrorText(status))") }
    return child
  }

  private static func environmentEntries(without names: [String]) -> [UnsafeMutablePointer<CChar>?] {
    var entries: [UnsafeMutablePointer<CChar>?] = unsafe []
    var cursor = unsafe environ
    while let entry = unsafe cursor.pointee {
      let text = unsafe String(cString: entry)
      if !names.contains(where: { text.hasPrefix($0 + "=") }) { unsafe entries.append(strdup(entry)) }
      unsafe cursor += 1
    }
    return unsafe entries
  }
}
