internal import Basics
internal import Glibc

/// The database file: a plain file of this user's that nobody else can read, in a folder that nobody else can change.
enum StoreFile {
  /// Runs `body` with the absolute path of the file, while no other process or thread does so. With `mayMake` it is made when it is missing;
  /// without, nothing is made beside an empty one either.
  ///
  /// Throws ``FailureCode/permissions``, ``FailureCode/lockTimeout`` and ``FailureCode/inputOutput``; without `mayMake` also
  /// ``FailureCode/backendNotInitialised``.
  static func prepare<R>(
    _ path: String, mayMake: Bool, _ body: (String) throws(Failure) -> R
  ) throws(Failure) -> R {
    let full = path.first == "/" ? path : "./\(path)"
    if !mayMake {
      // The folder first: whose it is decides who can do anything with the file.
      try checkPlace(path)
      try check(full)
      var status = stat()
      if unsafe stat(full, &status) == 0, status.st_size == 0 { throw empty(path) }
    }
    // On a file of its own: closing a descriptor of the database would let go of the locks that SQLite has on it in this process.
    let lock = try Files.openOwn("\(full).lock", flags: O_RDWR, what: "the store's lock file", forbiddenMode: 0o077)
    guard try FileLock.acquire(lock, until: .now().advanced(bySeconds: 30)) else {
      throw Failure(.lockTimeout, "another program has been opening the store for 30 seconds")
    }
    defer { FileLock.release(lock) }
    if !Files.exists(full) {
      _ = try Files.openOwn(full, flags: O_RDWR | O_EXCL, what: "the store", forbiddenMode: 0o077)
    }
    try check(full)
    return try body(try Files.realPath(full))
  }

  /// That nothing was ever put into it.
  static func empty(_ path: String) -> Failure {
    Failure(
      .backendNotInitialised, "the database \(OutsideText.clean(path, limit: 300)) has no keys",
      hint: "'mfs-authd init' makes them; is MFS_AUTHD_DATABASE right?")
  }

  /// Checks that ``prepare(_:mayMake:_:)`` could make a file that is not there. Makes nothing, and throws as that would.
  static func checkPlace(_ path: String) throws(Failure) {
    try Files.checkOwnPlace(path.first == "/" ? path : "./\(path)", what: "the store")
  }

  /// Throws ``FailureCode/permissions`` for what is no plain file of this user's alone.
  static func check(_ path: String) throws(Failure) {
    let shown = OutsideText.clean(path, limit: 300)
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw .system("look at the store \(shown)") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.permissions, "the store \(shown) is not a plain file", hint: "look who did that, and remove it")
    }
    // By each of its names it would have a log of its own.
    guard status.st_nlink == 1 else {
      throw Failure(
        .permissions, "the store \(shown) has \(status.st_nlink) names (hard links)",
        hint: "stop what runs on it, and remove the others: find FOLDER -samefile \(shown)")
    }
    guard status.st_uid == geteuid() else {
      let owner = AccessRefusal.user(status.st_uid)
      // Whoever else's folder it is in would be refused in turn.
      let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      var place = stat()
      let isThere = unsafe stat(folder, &place) == 0 && place.st_uid == status.st_uid
      throw Failure(
        .permissions, "the store \(shown) belongs to \(owner), and this runs as \(AccessRefusal.user(geteuid()))",
        hint: isThere
          ? "run this as that user ('sudo -u \(owner)')" : "look who did that: its folder is not that user's")
    }
    guard unsafe faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 || errno != EACCES else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw .system("open the store \(shown)", errno: EACCES, hint: "its mode is \(mode): chmod 600 \(shown)")
    }
    guard status.st_mode & 0o077 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw Failure(
        .permissions, "the store \(shown) is not this user's alone (mode \(mode))",
        hint: "look who did that, then: chmod 600 \(shown)")
    }
  }
}
