public import Basics
internal import Glibc

extension SQLiteStore {
  /// Says, until ``ServerMark/end()`` or the end of this process, that a server runs on the database of a file. Any number may. It is a lock
  /// on a file of its own, `.serving`, which the kernel lets go of however the process ends, and waits a few seconds for a command that has
  /// the database alone.
  ///
  /// Throws ``FailureCode/lockTimeout`` while one does, ``FailureCode/permissions`` and ``FailureCode/inputOutput``.
  public static func serve(_ path: String, waiting seconds: Double = 10) throws(Failure) -> ServerMark {
    let file = try servers(of: path)
    guard try FileLock.acquire(file, shared: true, until: .now().advanced(bySeconds: seconds)) else {
      throw Failure(
        .lockTimeout, "a command has the database \(OutsideText.clean(path, limit: 300)) for itself",
        hint: "start the server when 'mfs-authd after-restore' or 'mfs-authd migrate' has ended")
    }
    return ServerMark(file)
  }

  /// Runs `body` while no server runs on the database of a file, and none starts. Servers keep in memory what it may change, above all which
  /// key signs.
  ///
  /// Throws ``FailureCode/lockTimeout`` at once when there is one, ``FailureCode/permissions`` and ``FailureCode/inputOutput``.
  public static func withoutServers<R>(_ path: String, _ body: () throws(Failure) -> R) throws(Failure) -> R {
    let file = try servers(of: path)
    guard try FileLock.acquire(file, until: .now()) else {
      throw Failure(
        .lockTimeout, "a server runs on the database \(OutsideText.clean(path, limit: 300)); nothing was changed",
        hint:
          "stop it and every other one on this database ('systemctl stop mfs-authd'), run this again, then start them")
    }
    defer { FileLock.release(file) }
    return try body()
  }

  private static func servers(of path: String) throws(Failure) -> FileDescriptor {
    let full = path.first == "/" ? path : "./\(path)"
    return try Files.openOwn(
      "\(full).serving", flags: O_RDWR, what: "the file that servers lock", forbiddenMode: 0o077)
  }
}

/// That a server runs on a database: see ``SQLiteStore/serve(_:waiting:)``.
public final class ServerMark {
  private let file: FileDescriptor

  init(_ file: consuming FileDescriptor) { self.file = file }

  /// The server has ended.
  public func end() { FileLock.release(file) }
}
