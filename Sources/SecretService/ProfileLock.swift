internal import Basics
internal import CLinux
internal import Glibc

/// The right to change one profile's items, held while this value lives: a `flock` on a file that is never replaced or
/// removed. The keyring itself has no lock, and takes one change at a time without knowing what belongs together.
///
/// The file is below the state directory and not the runtime one: two processes of one session must meet at the same
/// file even when only one of them has `XDG_RUNTIME_DIR`.
struct ProfileLock: ~Copyable {
  private let file: FileDescriptor

  /// Waits up to `milliseconds`. Throws ``FailureCode/lockTimeout``, and what ``Files/openOwn(_:flags:what:forbiddenMode:)`` does.
  init(_ profile: ProfileName, in directories: Directories, milliseconds: Int32) throws(Failure) {
    let file = try Files.openOwn(
      "\(directories.state)/vault/\(profile).secret-service.lock", flags: O_RDWR, what: "the lock file")
    let end = ProfileLock.now() + Int64(milliseconds)
    while flock(file.raw, LOCK_EX | LOCK_NB) != 0 {
      guard clinux_errno() == EWOULDBLOCK || clinux_errno() == EINTR else { throw .system("lock the vault") }
      guard ProfileLock.now() < end else {
        throw Failure(
          .lockTimeout, "another process has been changing the vault of profile \(profile) for too long",
          hint: "try again, or wait longer with --lock-timeout")
      }
      // A change takes some 100 ms; waiters that differ in their pauses do not starve each other.
      usleep(UInt32.random(in: 4_000...12_000))
    }
    self.file = file
  }

  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
