internal import Basics
internal import CLinux
internal import Glibc

/// A running `sh -c` whose output is a secret. It has a process group of its own, so that all of it can be ended, and the
/// terminal as soon as it reads from it. The signals that stop this process wait until this value ends; by then the
/// command has ended too.
final class SecretCommand {
  private let what: String
  private let child: pid_t
  /// Can be read once the child has ended.
  private let handle: FileDescriptor
  private let pipe: FileDescriptor
  private let signals: CommandSignals
  private var terminal: CommandTerminal?
  private var hasEnded = false

  /// Starts a command. Throws ``FailureCode/inputOutput``.
  init(_ command: String, what: String) throws(Failure) {
    self.what = what
    signals = try CommandSignals()
    var ends: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&ends) == 0 else { throw .system("make a pipe") }
    pipe = FileDescriptor(owning: ends[0])
    let output = FileDescriptor(owning: ends[1])
    guard clinux_set_nonblocking(ends[0]) == 0 else { throw .system("make a pipe") }
    child = try SecretCommand.spawn(command, output: output, mask: signals.before)
    let number = clinux_pidfd_open(child)
    handle = FileDescriptor(owning: number)
    guard number >= 0 else {
      let failure = Failure.system("watch a command")
      stop()
      throw failure
    }
    terminal = CommandTerminal(child: child)
  }

  /// Everything that it prints until it ends. Throws as ``SecretInput/read(command:limit:what:unsuccessful:seconds:)``.
  func output(limit: Int, unsuccessful: FailureCode, seconds: Int?) throws(Failure) -> SecureBytes {
    let buffer = try SecureBuffer(limit: limit)
    let chunk = try SecureBytes(count: 4_096)
    let seconds = seconds ?? (terminal == nil ? 60 : nil)
    let deadline = seconds.map { MonotonicInstant.now().advanced(bySeconds: Double($0)) }
    var isOpen = true
    while true {
      let left = deadline?.millisecondsLeft ?? -1
      guard try signals.wait(with: [isOpen ? pipe.raw : -1, handle.raw], milliseconds: left) else {
        throw Failure(.cancelled, "\(what) was stopped")
      }
      // Seen before the pipe is read to its end: what the command printed is there by then. Somebody whom it left behind
      // may hold the pipe open.
      let isLast = clinux_has_ended(child) == 1
      while isOpen {
        let got = unsafe chunk.withPointer { unsafe Glibc.read(pipe.raw, $0, 4_096) }
        if got < 0 {
          if clinux_errno() == EINTR { continue }
          guard clinux_errno() == EAGAIN else { throw .system("read \(what)") }
          break
        }
        isOpen = got > 0
        let fits = try unsafe chunk.withBytes { bytes throws(Failure) in
          try unsafe buffer.append(UnsafeRawBufferPointer(rebasing: bytes[..<got]))
        }
        guard fits else { throw SecretInput.tooLong(what, limit) }
      }
      if isLast { return try buffer.contents() }
      try followStops(unsuccessful)
      if let seconds, let deadline, MonotonicInstant.now() >= deadline {
        throw Failure(
          unsuccessful, "\(what) did not end within \(seconds) seconds",
          hint: "it has been ended; where there is a terminal, it may take as long as it wants")
      }
    }
  }

  private func followStops(_ unsuccessful: FailureCode) throws(Failure) {
    let stop = clinux_stopped_by(child)
    guard stop != 0 else { return }
    guard terminal?.follow(stop) ?? (stop != SIGTTIN && stop != SIGTTOU) else {
      throw Failure(
        unsuccessful, "\(what) asks on a terminal that is not ours now", hint: "run it in the foreground, or otherwise")
    }
  }

  /// Takes the terminal back and says how the command ended, as waitpid(2) does.
  func finish() -> Int32 {
    terminal?.restore()
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, clinux_errno() == EINTR {}
    hasEnded = true
    return status
  }

  /// Ends the command and all that it started in its group: asks first, and insists after a second.
  func stop() {
    guard !hasEnded else { return }
    terminal?.takeBack()
    kill(-child, SIGTERM)
    kill(-child, SIGCONT)
    var ended = pollfd(fd: handle.raw, events: Int16(POLLIN), revents: 0)
    unsafe poll(&ended, 1, 1_000)
    // The group's number is still its own: its first process has not been waited for.
    kill(-child, SIGKILL)
    _ = finish()
  }

  private static func spawn(
    _ command: String, output: borrowing FileDescriptor, mask: sigset_t
  ) throws(Failure) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.raw, 1)
    var mask = mask
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    // What this program ignores for itself.
    for signal in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&defaults, signal) }
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let words = ["/bin/sh", "-c", command]
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ)
    guard status == 0 else { throw Failure(.inputOutput, "cannot run /bin/sh: \(systemErrorText(status))") }
    return child
  }
}
