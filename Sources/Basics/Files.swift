internal import CLinux
internal import Glibc

/// Reading and making files with the checks that untrusted folders call for.
public enum Files {
  /// Reads a whole regular file of at most `limit` bytes.
  ///
  /// Throws ``FailureCode/notFound`` when it is missing, ``FailureCode/usage`` when it is a directory or another kind of
  /// file, ``FailureCode/configuration`` when it is too big and ``FailureCode/inputOutput`` when it cannot be read.
  public static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
    // O_NONBLOCK: opening a FIFO that nobody writes to must not wait.
    let file = try FileDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    let kind = try file.status().st_mode & S_IFMT
    let shown = OutsideText.clean(path, limit: 300)
    guard kind == S_IFREG else {
      throw Failure(.usage, "\(shown) is a \(kind == S_IFDIR ? "directory" : "special file"), not a file")
    }
    guard let bytes = try file.readToEnd(limit: limit) else {
      throw Failure(.configuration, "\(shown) is larger than \(limit) bytes", hint: "is it the right file?")
    }
    return bytes
  }

  /// The path of a file without links, `.` and `..`. Throws ``FailureCode/notFound`` when it is missing and
  /// ``FailureCode/inputOutput`` when it cannot be told.
  public static func realPath(_ path: String) throws(Failure) -> String {
    guard let found = unsafe realpath(path, nil) else {
      let code: FailureCode = clinux_errno() == ENOENT ? .notFound : .inputOutput
      throw .system("find \(OutsideText.clean(path, limit: 300))", code: code)
    }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }

  /// Whether anything, a dangling link included, stands at a path.
  public static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Whether anything stands at a path, like ``exists(_:)``, where not being able to tell must not count as no. Throws
  /// ``FailureCode/inputOutput`` when a folder on the way may not be searched or links go in a circle.
  public static func find(_ path: String) throws(Failure) -> Bool {
    var status = stat()
    if unsafe lstat(path, &status) == 0 { return true }
    let number = clinux_errno()
    guard number == ENOENT || number == ENOTDIR else {
      throw .system(
        "look for \(OutsideText.clean(path, limit: 300))", errno: number,
        hint: number == EACCES ? AccessRefusal.hint(path) : nil)
    }
    return false
  }

  /// Checks that a path leads to a folder. Throws ``FailureCode/notFound`` when it is missing, ``FailureCode/usage`` when
  /// it is something else and ``FailureCode/inputOutput`` when it cannot be told.
  public static func checkFolder(_ path: String, hint: String) throws(Failure) {
    let shown = OutsideText.clean(path, limit: 300)
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let number = clinux_errno()
      guard number == ENOENT else {
        throw .system("look into the folder \(shown)", errno: number, hint: AccessRefusal.hint(path) ?? hint)
      }
      throw Failure(.notFound, "there is no folder \(shown.isEmpty ? "with an empty name" : shown)", hint: hint)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(.usage, "\(shown) is not a folder", hint: hint) }
  }

  /// Makes a directory and its missing parents, each with mode 0700. Throws ``FailureCode/permissions`` when something
  /// else stands in the place of one, and ``FailureCode/inputOutput``.
  public static func makePrivateDirectory(_ path: String) throws(Failure) {
    guard unsafe mkdir(path, 0o700) != 0, clinux_errno() != EEXIST else { return }
    if clinux_errno() == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makePrivateDirectory(String(path[..<slash]))
      if unsafe mkdir(path, 0o700) == 0 || clinux_errno() == EEXIST { return }
    }
    let number = clinux_errno(), shown = OutsideText.clean(path, limit: 300)
    let isInTheWay = number == ENOTDIR || number == ELOOP
    throw .system(
      "make the directory \(shown)", errno: number, code: isInTheWay ? .permissions : .inputOutput,
      hint: isInTheWay
        ? "something else stands in its place or above it: look what, and move it away"
        : number == EACCES
          ? AccessRefusal.hint(path)
            ?? "as root: install -d -o \(AccessRefusal.user(geteuid())) -m 700 \(shown)" : nil)
  }
}
