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
    let start = RefreshLock.monotonic()
    var hasSaidSo = false
    while flock(file.raw, LOCK_EX | LOCK_NB) != 0 {
      let waited = RefreshLock.monotonic() - start
      guard waited < Int64(timeout) * 1_000 else {
        throw Failure(
          .lockTimeout, "another mfsctl has been refreshing this session for \(timeout) seconds", hint: "try again")
      }
      if waited > 1_000, !hasSaidSo {
        hasSaidSo = true
        onWait()
      }
      // Nothing can wait for a flock with a deadline but a signal, which a library must not use.
      var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
      unsafe nanosleep(&pause, nil)
    }
    return Held(file)
  }

  private static func monotonic() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
