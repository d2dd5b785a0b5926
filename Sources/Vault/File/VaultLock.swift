internal import Basics
internal import Glibc

/// The right to write one vault, by a lock on a file of its own. Readers need none.
enum VaultLock {
  /// Runs `body` with the lock, waiting up to `timeout` seconds for it. Throws ``FailureCode/lockTimeout``.
  static func hold<R: ~Copyable>(
    _ directory: borrowing VaultDirectory, _ request: VaultRequest, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let file = try directory.open("\(request.profile).lock", flags: O_RDWR | O_CREAT)
    let deadline = MonotonicInstant.now().advanced(bySeconds: Double(request.lockTimeout))
    guard try FileLock.acquire(file, until: deadline) else {
      throw Failure(
        .lockTimeout,
        "another process has been writing to the vault of '\(request.profile)' for \(request.lockTimeout) seconds",
        hint: "try again, or wait longer with --lock-timeout SECONDS")
    }
    let result = try body()
    FileLock.release(file)
    return result
  }
}
