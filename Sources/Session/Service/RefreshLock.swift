public import Basics
internal import Glibc

/// One refresh at a time, across threads and processes: an exclusive flock(2) on a file of its own, so that nobody who
/// reads or changes the vault waits for a server. The kernel lets go of it when its holder dies. The file names its holder.
public struct RefreshLock: Sendable {
  /// The lock file.
  public let path: String
  /// How many seconds to wait for it.
  public let timeout: Int
  /// What this process runs, for those who wait for it.
  public let command: String

  /// The lock at a path. The default outlasts the longest run of a strategy.
  public init(path: String, timeout: Int = 90, command: String = "session") {
    self.path = path
    self.timeout = timeout
    self.command = command
  }

  /// The lock of a profile's sessions.
  public init(_ directories: Directories, profile: ProfileName, timeout: Int = 90, command: String = "session") {
    self.init(path: "\(directories.state)/session/refresh-\(profile).lock", timeout: timeout, command: command)
  }

  /// The lock while it is held; it ends with the last reference.
  final class Held {
    private let file: FileDescriptor
    init(_ file: consuming FileDescriptor, command: String) {
      self.file = file
      LockHolder(command: command)?.write(to: self.file)
    }
    deinit { LockHolder.clear(file) }
  }

  /// Waits for the lock and takes it. `onWait` is called once when that takes more than a second, with who has it if that can
  /// be told. Throws ``FailureCode/lockTimeout``; ``FailureCode/permissions`` when the file is not ours, or no plain one.
  func acquire(onWait: (LockHolder?) -> Void) throws(Failure) -> Held {
    let file = try Files.openOwn(path, flags: O_RDWR, what: "the lock file")
    let number = file.raw
    let deadline = MonotonicInstant.now().advanced(bySeconds: Double(timeout))
    guard try FileLock.acquire(file, until: deadline, onWait: { onWait(RefreshLock.holder(number)) }) else {
      let holder = RefreshLock.holder(number)
      let who = holder.map { "another mfsctl (\($0))" } ?? "another mfsctl"
      throw Failure(
        .lockTimeout, "\(who) has been refreshing this session for \(timeout) seconds",
        hint: holder.map { "try again; if process \($0.process) hangs, end it" } ?? "try again")
    }
    return Held(file, command: command)
  }

  private static func holder(_ number: Int32) -> LockHolder? {
    let file = FileDescriptor(owning: number)
    let holder = LockHolder(readingFrom: file)
    _ = file.release()
    return holder
  }
}
