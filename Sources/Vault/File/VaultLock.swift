internal import Basics
internal import CLinux
internal import Glibc

/// The right to write one vault. The lock is on a file of its own that is never replaced or removed: a lock on the vault
/// itself would be lost with each rename. Readers need none.
enum VaultLock {
  /// Runs `body` with the lock, waiting up to `timeout` seconds for it. Throws ``FailureCode/lockTimeout``.
  static func hold<R: ~Copyable>(
    _ directory: borrowing VaultDirectory, _ request: VaultRequest, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let file = try directory.open("\(request.profile).lock", flags: O_RDWR | O_CREAT)
    try acquire(file, request)
    let result = try body()
    flock(file.raw, LOCK_UN)
    return result
  }

  // flock(2) with a deadline. The pause grows and varies, so that many writers do not march in step.
  private static func acquire(_ file: borrowing FileDescriptor, _ request: VaultRequest) throws(Failure) {
    let deadline = milliseconds() + Int64(request.lockTimeout) * 1_000
    var pause = 1
    while flock(file.raw, LOCK_EX | LOCK_NB) != 0 {
      guard clinux_errno() == EWOULDBLOCK || clinux_errno() == EINTR else { throw .system("lock the vault") }
      guard milliseconds() < deadline else {
        throw Failure(
          .lockTimeout,
          "another process has been writing to the vault of '\(request.profile)' for \(request.lockTimeout) seconds",
          hint: "try again, or wait longer with --lock-timeout SECONDS")
      }
      usleep(UInt32(Int.random(in: 500...1_000) * pause))
      pause = min(pause * 2, 16)
    }
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
