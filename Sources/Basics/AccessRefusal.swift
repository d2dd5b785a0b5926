internal import CLinux
internal import Glibc

/// What stands in the way where the system refuses a file (EACCES): whose it is, its mode, and the command that lets this user in.
public enum AccessRefusal {
  /// What was to be done with the file.
  public enum Want: Sendable {
    /// Read it.
    case read
    /// Read it, where nobody else may.
    case readAlone
    /// Have it, and the folder that it is in, as one's own.
    case own
    /// Make something in it: it is a folder.
    case makeInside
  }

  /// The next step: the first folder on the way that this user may not enter, or the file itself. nil when nothing of it refuses.
  public static func hint(_ path: String, _ want: Want = .read) -> String? {
    for folder in folders(above: path) where unsafe faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) != 0 {
      // Everything behind a folder that cannot even be looked at is that one's.
      guard clinux_errno() == EACCES else { return nil }
      let isOwn = want == .own && folder == parent(of: path)
      return describe(folder, owner: "x", mend: isOwn ? .chown("-R ") : .chgrp("x"))
    }
    switch want {
    case .read, .readAlone, .own:
      guard unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0, clinux_errno() == EACCES else { return nil }
      return describe(path, owner: "r", mend: want == .read ? .chgrp("r") : .chown("", then: "600"))
    case .makeInside:
      guard unsafe faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0, clinux_errno() == EACCES else { return nil }
      return describe(path, owner: "wx", mend: .chown(""))
    }
  }

  /// The name of a user, as /etc/passwd has it; else the number.
  public static func user(_ number: UInt32) -> String { name("/etc/passwd", number) }

  private enum Mend {
    /// Let this user's group do what it has to.
    case chgrp(String)
    /// Give it to this user, with options, and with a mode.
    case chown(String, then: String? = nil)
  }

  private static func describe(_ path: String, owner own: String, mend: Mend) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let shown = OutsideText.clean(path, limit: 300), owner = user(status.st_uid), me = user(geteuid())
    let group = name("/etc/group", status.st_gid)
    let mode = String(status.st_mode & 0o7777, radix: 8)
    let facts =
      "\(isFolder ? "the folder " : "")\(shown) belongs to \(owner):\(group) (mode \(mode)), and this runs as \(me)"
    guard status.st_uid != geteuid() else { return "\(facts): chmod u+\(own) \(shown)" }
    let command =
      switch mend {
      case .chgrp(let right): "chgrp \(name("/etc/group", getegid())) \(shown) && chmod g+\(right) \(shown)"
      case .chown(let options, let mode):
        "chown \(options)\(me) \(shown)" + (mode.map { " && chmod \($0) \(shown)" } ?? "")
      }
    return status.st_uid == 0
      ? "\(facts): run this as a user who may, or as root: \(command)"
      : "\(facts): run this as \(owner) ('sudo -u \(owner)'), or as root: \(command)"
  }

  private static func parent(of path: String) -> String { folders(above: path).last ?? "." }

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
