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
  private let process: ChildProcess

  /// Can be read once it has ended.
  var descriptor: Int32 { process.descriptor }

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
    process = try ChildProcess(
      "/bin/sh", ["/bin/sh", "-c", command], variables: .own(with: variables),
      descriptors: [.copy(of: reading.raw), .copy(of: 2), .copy(of: 2)])
  }

  deinit { stop() }

  /// How it ended; nil while it runs.
  func outcome() -> Int32? {
    guard process.hasEnded else { return nil }
    // What it left behind in its group ends with it.
    process.signal(SIGTERM)
    return process.wait()
  }

  /// Ends it and all that it started in its group: asks first, and insists after two seconds.
  func stop() { process.stop(asking: 2_000) }
}
