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
    func unsafePlace(_ problem: String) -> Failure { OwnFolder.refusal("\(what) \(shown) \(problem)") }
    if let folder = OwnFolder.of(path) {
      try makePrivateDirectory(folder)
      try OwnFolder.check(folder, of: "\(what) \(shown)")
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
          hint: number == EACCES ? AccessRefusal.hint(path) : nil)
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

  /// Checks that ``openOwn(_:flags:what:forbiddenMode:)`` could make a file that is not there. Makes nothing, and throws as that would.
  public static func checkOwnPlace(_ path: String, what: String) throws(Failure) {
    guard let folder = OwnFolder.of(path) else { return }
    let shown = OutsideText.clean(path, limit: 300), shownFolder = OutsideText.clean(folder, limit: 300)
    // What is missing is made in the first folder above that is there.
    var above = folder, status = stat(), number: Int32 = 0
    while unsafe stat(above, &status) != 0 {
      number = clinux_errno()
      guard number == ENOENT, above != "/", above != "." else { break }
      above = OwnFolder.of(above) ?? (above.first == "/" ? "/" : ".")
      number = 0
    }
    guard number != EACCES else {
      throw .system("look for \(what) \(shown)", errno: number, hint: AccessRefusal.hint(folder))
    }
    guard number == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw OwnFolder.refusal("\(what) \(shown) is not in a folder: something else stands there")
    }
    if above == folder { try OwnFolder.check(folder, of: "\(what) \(shown)") }
    guard let hint = AccessRefusal.hint(above, .makeInside) else { return }
    guard above != folder else { throw .system("make \(what) \(shown)", errno: EACCES, hint: hint) }
    throw .system(
      "make the directory \(shownFolder)", errno: EACCES,
      hint: "as root: install -d -o \(AccessRefusal.user(geteuid())) -m 700 \(shownFolder)")
  }
}

/// The folder of a file that is to be this user's own.
private enum OwnFolder {
  static func of(_ path: String) -> String? {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
    return String(path[..<slash])
  }

  static func refusal(_ problem: String) -> Failure {
    Failure(.permissions, problem, hint: "look who did that, and remove it")
  }

  /// Throws when the folder of `file`, as messages call it, is not this user's or when others can change it.
  static func check(_ folder: String, of file: String) throws(Failure) {
    var status = stat()
    let isThere = unsafe stat(folder, &status) == 0
    if !isThere, clinux_errno() == EACCES {
      throw .system("open \(file)", errno: EACCES, hint: AccessRefusal.hint(folder))
    }
    guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
      throw refusal("\(file) is not in a folder: something else stands there")
    }
    guard status.st_uid == geteuid() else {
      let owner = AccessRefusal.user(status.st_uid)
      throw Failure(
        .permissions, "\(file) is in a folder of another user's (\(owner))",
        hint: "run this as that user ('sudo -u \(owner)')")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw refusal("\(file) is in a folder that others can change (mode \(String(status.st_mode & 0o777, radix: 8)))")
    }
  }
}
