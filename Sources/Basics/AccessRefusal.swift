internal import CLinux
internal import Glibc

/// What stands in the way where the system refuses a file (EACCES): whose it is, its mode, and what to do. A command that changes the mode is
/// said of this user's own files alone: what is another's may be shut on purpose, or be what a service needs as it is.
public enum AccessRefusal {
  /// What was to be done with the file.
  public enum Want: Sendable {
    /// Read it.
    case read
    /// Make something in it: it is a folder.
    case makeInside
  }

  /// The next step: the first folder on the way that this user may not enter, or the file itself. nil when nothing of it refuses.
  public static func hint(_ path: String, _ want: Want = .read) -> String? {
    for folder in folders(above: path) where unsafe faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) != 0 {
      // Everything behind a folder that cannot even be looked at is that one's.
      guard clinux_errno() == EACCES else { return nil }
      guard folder == "." else { return describe(folder, needs: "x", S_IXGRP) }
      // Nothing can be looked at by a relative name, not even the folder itself.
      return workingFolder.flatMap { describe($0, needs: "x", S_IXGRP) }.map { $0 + ", or from another folder" }
    }
    switch want {
    case .read:
      guard unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0, clinux_errno() == EACCES else { return nil }
      return describe(path, needs: "r", S_IRGRP)
    case .makeInside:
      guard unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0, clinux_errno() == EACCES else { return nil }
      return describe(path, needs: "wx", S_IWGRP | S_IXGRP)
    }
  }

  /// The name of a user, as /etc/passwd has it; else the number.
  public static func user(_ number: UInt32) -> String { name("/etc/passwd", number) }

  private static func describe(_ path: String, needs right: String, _ ofGroup: UInt32) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let shown = OutsideText.clean(path, limit: 300), owner = user(status.st_uid), me = user(geteuid())
    let group = name("/etc/group", status.st_gid)
    let mode = String(status.st_mode & 0o7777, radix: 8)
    let facts =
      "\(isFolder ? "the folder " : "")\(shown) belongs to \(owner):\(group) (mode \(mode)), and this runs as \(me)"
    guard status.st_uid != geteuid() else { return "\(facts): chmod u+\(right) \(shown)" }
    // Root's is as a rule there for a service, which is in its group.
    guard status.st_uid == 0 else { return "\(facts): run this as \(owner) ('sudo -u \(owner)')" }
    let isForGroup = status.st_gid != 0 && status.st_mode & ofGroup == ofGroup
    return "\(facts): run this as a user " + (isForGroup ? "of the group \(group)" : "who may")
  }

  private static var workingFolder: String? {
    guard let name = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(name) }
    return unsafe String(validatingCString: name)
  }

  private static func folders(above path: String) -> [String] {
    var folders = [path.first == "/" ? "/" : "."]
    for (index, character) in zip(path.indices, path) where character == "/" && index != path.startIndex {
      folders.append(String(path[..<index]))
    }
    return folders
  }

  // Read and not asked of the C library, whose ways to ask are plugins: a static executable has none.
  private static func name(_ file: String, _ number: UInt32) -> String {
    guard let bytes = try? Files.read(file, limit: 1 << 20) else { return "\(number)" }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 2, fields[2].elementsEqual("\(number)".utf8) else { continue }
      return OutsideText.clean(String(decoding: fields[0], as: UTF8.self), limit: 64)
    }
    return "\(number)"
  }
}
