public import Basics
internal import Glibc

/// One refresh at a time, across threads and processes: an exclusive flock(2) on a file of its own, so that nobody who
/// reads or changes the vault waits for a server. The kernel lets go of it when its holder dies.
public struct RefreshLock: Sendable {
  /// The lock file.
  public let path: String
  /// How many seconds to wait for it.
  public let timeout: Int

  /// The lock at a path. The default outlasts the longest run of a strategy.
  public init(path: String, timeout: Int = 90) {
    self.path = path
    self.timeout = timeout
  }

  /// The lock of a profile's sessions.
  public init(_ directories: Directories, profile: ProfileName, timeout: Int = 90) {
    self.init(path: "\(directories.state)/session/refresh-\(profile).lock", timeout: timeout)
  }

  /// The lock while it is held; it ends with the last reference.
  final class Held {
    private let file: FileDescriptor
    init(_ file: consuming FileDescriptor) { self.file = file }
  }

  /// Waits for the lock and takes it. `onWait` is called once when that takes more than a second. Throws
  /// ``FailureCode/lockTimeout``; ``FailureCode/permissions`` when the file is not ours, or no plain one.
  func acquire(onWait: () -> Void) throws(Failure) -> Held {
    let file = try Files.openOwn(path, flags: O_RDWR, what: "the lock file")
    let deadline = MonotonicInstant.now().advanced(bySeconds: Double(timeout))
    guard try FileLock.acquire(file, until: deadline, onWait: onWait) else {
      throw Failure(
        .lockTimeout, "another mfsctl has been refreshing this session for \(timeout) seconds", hint: "try again")
    }
    return Held(file)
  }
}
