internal import CLinux
internal import Glibc

extension Files {
  /// Replaces a file's contents in one step: readers see the old bytes or the new, also after a crash. A new file gets
  /// `mode` less the umask; an existing one keeps its permissions. A symbolic link is replaced, not followed.
  ///
  /// Throws ``FailureCode/notFound`` when the folder is missing, ``FailureCode/usage`` when a directory stands there and
  /// ``FailureCode/inputOutput`` otherwise; the old file is then as it was.
  public static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o666) throws(Failure) {
    let shown = OutsideText.clean(path, limit: 300)
    var old = stat()
    let exists = unsafe lstat(path, &old) == 0
    if exists, old.st_mode & S_IFMT == S_IFDIR { throw Failure(.usage, "\(shown) is a directory, not a file") }
    let keptMode = exists && old.st_mode & S_IFMT == S_IFREG ? old.st_mode & 0o777 : nil

    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    let temporary = "\(folder).\(name.prefix(200)).\(getpid()).tmp"
    // What a killed process of the same number left behind.
    unsafe unlink(temporary)
    let file = try FileDescriptor.open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do throws(Failure) {
      if let keptMode, fchmod(file.raw, keptMode) != 0 { throw .system("set the permissions of \(shown)") }
      try file.write(bytes)
      guard fsync(file.raw) == 0 else { throw .system("write \(shown)") }
      guard unsafe rename(temporary, path) == 0 else { throw .system("replace \(shown)") }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
  }
}
