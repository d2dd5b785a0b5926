internal import Basics
internal import CLinux
internal import Glibc

/// The folder that holds vault files, open and checked: ours alone, and not below a folder where anybody could put
/// another in its place.
struct VaultDirectory: ~Copyable {
  let descriptor: FileDescriptor
  /// The path, made safe for messages.
  let shown: String

  /// Opens and checks the folder. Throws ``FailureCode/notFound``, ``FailureCode/permissions`` or
  /// ``FailureCode/inputOutput``.
  static func open(_ path: String) throws(Failure) -> VaultDirectory {
    let shown = OutsideText.clean(path, limit: 300)
    let descriptor = try open(AT_FDCWD, path, flags: O_RDONLY | O_DIRECTORY, mode: 0, shown: shown)
    try checkOwned(try descriptor.status(), shown: shown, fix: "chmod 700 \(shown)")
    try checkParents(of: descriptor)
    return VaultDirectory(descriptor: descriptor, shown: shown)
  }

  /// Opens a file in the folder, never through a link, and checks that it is a plain file of ours that nobody else can
  /// read or write. Throws as ``open(_:)`` does.
  func open(_ name: String, flags: Int32) throws(Failure) -> FileDescriptor {
    let shown = "\(self.shown)/\(name)"
    // O_NONBLOCK: a FIFO in the place of the file must not make us wait.
    let file = try VaultDirectory.open(
      descriptor.raw, name, flags: flags | O_NONBLOCK | O_NOCTTY, mode: 0o600, shown: shown)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(.permissions, "\(shown) is not a plain file") }
    try VaultDirectory.checkOwned(status, shown: shown, fix: "chmod 600 \(shown)")
    return file
  }

  /// The bytes of a file in the folder; nil when there is none. Throws ``FailureCode/vaultDamaged`` when it is too big
  /// for a vault, and as ``open(_:flags:)`` does.
  func read(_ name: String) throws(Failure) -> ByteBlock? {
    do throws(Failure) {
      let file = try open(name, flags: O_RDONLY)
      guard let bytes = try file.readBlock(limit: VaultFormat.maximumFileSize) else {
        throw VaultFormat.damaged("it is larger than a vault can be")
      }
      return bytes
    } catch  where error == Failure(.notFound, "") { return nil }
  }

  /// Whether anything has that name in the folder.
  func contains(_ name: String) -> Bool {
    var status = stat()
    return unsafe fstatat(descriptor.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  private static func open(
    _ directory: Int32, _ name: String, flags: Int32, mode: UInt32, shown: String
  ) throws(Failure) -> FileDescriptor {
    var number: Int32
    repeat {
      number = unsafe clinux_openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
    } while number < 0 && clinux_errno() == EINTR
    if number >= 0 { return FileDescriptor(owning: number) }
    switch clinux_errno() {
    case ENOENT: throw .system("open \(shown)", code: .notFound)
    case ELOOP: throw Failure(.permissions, "\(shown) is a symbolic link", hint: "the vault must stand there itself")
    case ENOTDIR: throw Failure(.permissions, "\(shown) is not a folder of its own", hint: "links are not followed")
    case EISDIR, ENXIO, ENODEV: throw Failure(.permissions, "\(shown) is not a plain file")
    default: throw .system("open \(shown)")
    }
  }

  static func checkOwned(_ status: stat, shown: String, fix: String) throws(Failure) {
    guard status.st_uid == geteuid() else {
      throw Failure(
        .permissions, "\(shown) belongs to user \(status.st_uid), not to user \(geteuid())",
        hint: "a vault is used by its owner only")
    }
    guard status.st_mode & 0o077 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw Failure(.permissions, "others can get at \(shown) (mode \(mode))", hint: "look who did that, then: \(fix)")
    }
  }

  private static func checkParents(of folder: borrowing FileDescriptor) throws(Failure) {
    var path = ".."
    var below = try folder.status()
    while true {
      var parent = stat()
      guard unsafe fstatat(folder.raw, path, &parent, 0) == 0 else {
        throw .system("look at the folders above the vault")
      }
      if parent.st_ino == below.st_ino, parent.st_dev == below.st_dev { return }
      if parent.st_mode & 0o002 != 0, parent.st_mode & S_ISVTX == 0 {
        let steps = path.split(separator: "/").count
        throw Failure(
          .permissions,
          "anybody can replace folders in the one \(steps) above the vault's (world-writable, not sticky)",
          hint: "take the write permission of others away there, or keep the vault elsewhere (MFSCTL_HOME)")
      }
      below = parent
      path += "/.."
    }
  }
}
