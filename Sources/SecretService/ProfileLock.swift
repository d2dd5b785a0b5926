internal import Basics
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
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: Int64(milliseconds))
    guard try FileLock.acquire(file, until: deadline) else {
      throw Failure(
        .lockTimeout, "another process has been changing the vault of profile \(profile) for too long",
        hint: "try again, or wait longer with --lock-timeout")
    }
    self.file = file
  }
}
