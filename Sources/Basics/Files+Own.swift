internal import CLinux
internal import Glibc

extension Files {
  /// Opens a file of this user's own in one of mfsctl's folders - a lock, a log - and makes it, with mode 0600, and its
  /// folders when they are missing. `flags` are open(2)'s; `what` is the file in messages, e.g. "the lock file". It is
  /// never opened through a link.
  ///
  /// Throws ``FailureCode/permissions`` when it is not a plain file of this user's, has a bit of `forbiddenMode`, or stands
  /// in a folder that is not this user's or that others can write to; ``FailureCode/inputOutput`` otherwise.
  public static func openOwn(
    _ path: String, flags: Int32, what: String, forbiddenMode: UInt32 = 0o022
  ) throws(Failure) -> FileDescriptor {
    let shown = OutsideText.clean(path, limit: 300)
    func unsafePlace(_ problem: String) -> Failure {
      Failure(.permissions, "\(what) \(shown) \(problem)", hint: "look who did that, and remove it")
    }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let folder = String(path[..<slash])
      try makePrivateDirectory(folder)
      var status = stat()
      let isThere = unsafe stat(folder, &status) == 0
      if !isThere, clinux_errno() == EACCES {
        throw .system("open \(what) \(shown)", errno: EACCES, hint: AccessRefusal.hint(path, .own))
      }
      guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
        throw unsafePlace("is not in a folder: something else stands there")
      }
      guard status.st_uid == geteuid() else {
        let owner = AccessRefusal.user(status.st_uid)
        throw Failure(
          .permissions, "\(what) \(shown) is in a folder of another user's (\(owner))",
          hint: "run this as that user ('sudo -u \(owner)')")
      }
      guard status.st_mode & 0o022 == 0 else {
        throw unsafePlace("is in a folder that others can change (mode \(String(status.st_mode & 0o777, radix: 8)))")
      }
    }
    // O_NONBLOCK: opening a FIFO in its place must not wait.
    let all = flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    var number: Int32
    repeat { number = unsafe clinux_open(path, all, 0o600) } while number < 0 && clinux_errno() == EINTR
    guard number >= 0 else {
      switch clinux_errno() {
      case ELOOP: throw unsafePlace("is a symbolic link")
      case EISDIR, ENXIO, ENODEV: throw unsafePlace("is not a plain file")
      case ENOTDIR, ENOENT: throw unsafePlace("is not in a folder: something else stands there")
      case let number:
        throw .system(
          "open \(what) \(shown)", errno: number,
          hint: number == EACCES ? AccessRefusal.hint(path, .own) : nil)
      }
    }
    let file = FileDescriptor(owning: number)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw unsafePlace("is not a plain file") }
    guard status.st_uid == geteuid(), status.st_mode & forbiddenMode == 0 else {
      throw unsafePlace("is not this user's alone (mode \(String(status.st_mode & 0o777, radix: 8)))")
    }
    return file
  }
}
