internal import Basics
internal import CLinux
internal import Glibc

/// A running `sh -c` whose output is a secret. It has a process group of its own, so that all of it can be ended, and the
/// terminal as soon as it reads from it. The signals that stop this process wait until this value ends; by then the
/// command has ended too.
final class SecretCommand {
  private let what: String
  private let process: ChildProcess
  private let pipe: FileDescriptor
  private let signals: CommandSignals
  private var terminal: CommandTerminal?

  /// Starts a command. Throws ``FailureCode/inputOutput``.
  init(_ command: String, what: String) throws(Failure) {
    self.what = what
    signals = try CommandSignals()
    var ends: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&ends) == 0 else { throw .system("make a pipe") }
    pipe = FileDescriptor(owning: ends[0])
    let output = FileDescriptor(owning: ends[1])
    guard clinux_set_nonblocking(ends[0]) == 0 else { throw .system("make a pipe") }
    // It keeps the descriptors that a user opened for it.
    process = try ChildProcess(
      "/bin/sh", ["/bin/sh", "-c", command], descriptors: [.null, .copy(of: output.raw)], keepsOthers: true,
      signals: .inherited(blocked: signals.before))
    terminal = CommandTerminal(child: process.id)
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
      guard try signals.wait(with: [isOpen ? pipe.raw : -1, process.descriptor], milliseconds: left) else {
        throw Failure(.cancelled, "\(what) was stopped")
      }
      // Seen before the pipe is read to its end: what the command printed is there by then. Somebody whom it left behind
      // may hold the pipe open.
      let isLast = process.hasEnded
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
    let stop = clinux_stopped_by(process.id)
    guard stop != 0 else { return }
    guard terminal?.follow(stop) ?? (stop != SIGTTIN && stop != SIGTTOU) else {
      throw Failure(
        unsuccessful, "\(what) asks on a terminal that is not ours now", hint: "run it in the foreground, or otherwise")
    }
  }

  /// Takes the terminal back and says how the command ended, as waitpid(2) does.
  func finish() -> Int32 {
    terminal?.restore()
    return process.wait()
  }

  /// Ends the command and all that it started in its group: asks first, and insists after a second.
  func stop() {
    terminal?.takeBack()
    process.stop(asking: 1_000)
    terminal?.restore()
  }
}
