public import Basics
internal import Glibc

extension SQLiteStore {
  /// Writes a copy of the database as it is at one moment to a new file of mode 0600, beside whatever goes on meanwhile: it waits
  /// for no writer and no writer for it. The copy is whole and on the disk when this returns; when it fails there is none. The format does
  /// not matter, and no folder is made.
  ///
  /// Throws ``FailureCode/exists`` when something stands there, ``FailureCode/notFound`` when its folder does not,
  /// ``FailureCode/permissions``, ``FailureCode/storeDamaged`` and ``FailureCode/inputOutput``.
  public static func copy(_ path: String, to copy: String) throws(Failure) {
    let shown = OutsideText.clean(copy, limit: 300)
    guard !Files.exists(copy) else {
      throw Failure(.exists, "there is a file \(shown) already", hint: "a backup replaces nothing; choose another name")
    }
    let slash = copy.lastIndex(of: "/")
    let parent = slash.map { $0 == copy.startIndex ? "/" : String(copy[..<$0]) } ?? "."
    // First: all that follows is said to the database's owner.
    try StoreFile.check(path)
    let me = AccessRefusal.user(geteuid()), shownParent = OutsideText.clean(parent, limit: 300)
    try Files.checkFolder(
      parent, hint: "is the name right? as root, to make the folder: install -d -o \(me) -m 700 \(shownParent)")
    var status = stat()
    guard unsafe stat(parent, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw Failure(
        .permissions, "the folder \(shownParent) is not \(me)'s alone to change, and a backup goes into one that is",
        hint: "name a file in a folder of \(me)'s; as root, to make a new one: install -d -o \(me) -m 700 NEW-FOLDER")
    }
    let file = try Files.openOwn(copy, flags: O_RDWR | O_EXCL, what: "the backup", forbiddenMode: 0o077)
    do throws(Failure) {
      let full = try Files.realPath(copy)
      // A connection of its own, which the copy's reading does not keep anybody waiting on.
      let database = try Database(try Files.realPath(path), isReader: false)
      try database.execute(
        "VACUUM INTO '\(full.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'")
      // SQLite leaves the copy to the kernel.
      guard fsync(file.raw) == 0 else { throw .system("bring the backup to the disk") }
      let folder = full.lastIndex(of: "/").map { String(full[..<$0]) } ?? ""
      let directory = try FileDescriptor.open(folder.isEmpty ? "/" : folder, flags: O_RDONLY | O_DIRECTORY)
      guard fsync(directory.raw) == 0 else { throw .system("bring the backup to the disk") }
    } catch {
      unsafe unlink(copy)
      throw error
    }
  }
}
