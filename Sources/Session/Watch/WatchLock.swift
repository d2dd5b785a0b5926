public import Basics
internal import Glibc

/// One watch for a profile: two would refresh for each other. Its file names its holder.
public final class WatchLock {
  private let file: FileDescriptor

  /// Takes the lock, without waiting. Throws ``FailureCode/lockTimeout`` when another watch has it, and
  /// ``FailureCode/permissions`` when the file is not ours, or no plain one.
  public init(_ directories: Directories, profile: ProfileName) throws(Failure) {
    let path = "\(directories.state)/session/watch-\(profile).lock"
    file = try Files.openOwn(path, flags: O_RDWR, what: "the lock file")
    // Another's last moment is waited for: it lets go of the lock a little after it was asked to end.
    guard try FileLock.acquire(file, until: MonotonicInstant.now().advanced(byMilliseconds: 200)) else {
      let who = LockHolder(readingFrom: file).map { " (\($0))" } ?? ""
      throw Failure(
        .lockTimeout, "another watch of the profile '\(profile)' runs\(who)",
        hint: "one is enough; end it to run another")
    }
    LockHolder(command: "session watch")?.write(to: file)
  }

  /// Lets go of the lock.
  public func end() {
    LockHolder.clear(file)
    FileLock.release(file)
  }
}
