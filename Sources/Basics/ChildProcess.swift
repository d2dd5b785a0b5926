internal import CLinux
internal import Glibc

/// A program that was started here, in a process group of its own. It goes on when this value ends: whoever starts one
/// stops it or waits for it.
public final class ChildProcess {
  /// Its process id, and that of its group.
  public let id: Int32
  /// Can be read once it has ended (pidfd_open(2)).
  public var descriptor: Int32 { handle.raw }

  private let handle: FileDescriptor
  private var status: Int32?

  /// Starts a program. `path` is that of the file, `arguments` begin with the name that it goes by. `descriptors`
  /// are the program's 0, 1, 2 and so on; all others are closed in it, unless it keeps those that are not close-on-exec. Throws ``FailureCode/inputOutput``.
  public init(
    _ path: String, _ arguments: [String], variables: Variables = .own(with: []), descriptors: [Stream],
    keepsOthers: Bool = false, signals: Signals = .fresh
  ) throws(Failure) {
    id = try ChildProcess.spawn(path, arguments, variables, descriptors, keepsOthers, signals)
    let number = clinux_pidfd_open(id)
    handle = FileDescriptor(owning: number)
    guard number >= 0 else {
      let failure = Failure.system("watch a process")
      Glibc.kill(-id, SIGKILL)
      _ = ChildProcess.wait(for: id)
      throw failure
    }
  }

  /// Whether it has ended. Its group can still be signalled, until it is waited for.
  public var hasEnded: Bool { status != nil || clinux_has_ended(id) == 1 }

  /// Waits for its end, and says how it ended as waitpid(2) has it.
  public func wait() -> Int32 {
    let found = status ?? ChildProcess.wait(for: id)
    status = found
    return found
  }

  /// Waits for its end for so many milliseconds, and says whether it came.
  public func ends(within milliseconds: Int) -> Bool {
    guard status == nil else { return true }
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: Int64(milliseconds))
    var entry = pollfd(fd: handle.raw, events: Int16(POLLIN), revents: 0)
    while true {
      let count = unsafe poll(&entry, 1, deadline.millisecondsLeft)
      if count != 0, count > 0 || clinux_errno() != EINTR { return count > 0 }
      if count == 0 { return false }
    }
  }

  /// Sends a signal to it and all that it started in its group. Nothing is sent once it was waited for: its number may be
  /// somebody else's by then.
  public func signal(_ number: Int32) { if status == nil { Glibc.kill(-id, number) } }

  /// Ends it and all that it started in its group: asks, gives it so many milliseconds, and insists.
  public func stop(asking milliseconds: Int) {
    guard status == nil else { return }
    signal(SIGTERM)
    // One that is stopped hears it when it goes on.
    signal(SIGCONT)
    _ = ends(within: milliseconds)
    signal(SIGKILL)
    _ = wait()
  }

  /// Waits for the end of a child by its process id, and says how it ended as waitpid(2) has it.
  public static func wait(for id: Int32) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, clinux_errno() == EINTR {}
    return status
  }
}
