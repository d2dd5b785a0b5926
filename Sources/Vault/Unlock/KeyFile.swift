public import Basics
internal import CLinux
internal import Glibc
public import SecureMemory

/// A file of exactly 32 random bytes that opens a vault, for machines without anybody to type.
public enum KeyFile {
  /// Reads a key file; `credentials` is the folder of systemd's credentials, in which its mode may be 0440. Throws ``FailureCode/vaultLocked`` when it is missing, ``FailureCode/permissions`` when its mode
  /// is wider than 0600 or it is not ours or root's, ``FailureCode/vaultWrongKey`` when it has another size.
  public static func read(_ path: String, credentials: String? = nil) throws(Failure) -> SecureBytes {
    do throws(Failure) {
      return try check(
        try SecretInput.read(file: path, limit: 65_536, what: "the key file", credentials: credentials), path)
    } catch  where error == Failure(.notFound, "") {
      throw Failure(.vaultLocked, "cannot unlock the vault: \(error.message)", hint: "is it the right path?")
    }
  }

  /// Reads a systemd credential. Its mode may be 0440, which is how systemd shows an access list for the one service.
  public static func readCredential(_ path: String) throws(Failure) -> SecureBytes {
    try check(
      try SecretInput.read(file: path, limit: 65_536, what: "the credential", credentials: folder(of: path)), path)
  }

  private static func check(_ key: consuming SecureBytes, _ path: String) throws(Failure) -> SecureBytes {
    guard key.count == UnlockSecret.keyFileSize else {
      throw Failure(
        .vaultWrongKey,
        "\(OutsideText.clean(path, limit: 300)) is no key file: it has \(key.count) bytes, not \(UnlockSecret.keyFileSize)"
      )
    }
    return key
  }

  /// Makes a key file of mode 0600 with fresh random bytes and brings it to the disk. Throws ``FailureCode/exists``
  /// with `hint` when anything has that name: a key file is never replaced. Stopped at any point, it leaves none or a whole one.
  public static func generate(_ path: String, hint: String) throws(Failure) {
    let shown = OutsideText.clean(path, limit: 300)
    let key = try SecureBytes.random(count: UnlockSecret.keyFileSize)
    // It gets its name when it is whole: half a key file would stand in the way of the next try.
    let unnamed = unsafe clinux_open_unnamed(folder(of: path), 0o600)
    if unnamed >= 0 {
      let file = FileDescriptor(owning: unnamed)
      try fill(file, with: key)
      if unsafe clinux_name(file.raw, path) == 0 { return try confirm(path) }
      guard clinux_errno() != EEXIST else { throw exists(shown, hint) }
    }
    // A file system without such files, or no /proc to name one by.
    let number = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard number >= 0 else {
      let number = clinux_errno()
      guard number == EEXIST else {
        throw .system(
          "make the key file \(shown)", errno: number,
          hint: number == EACCES ? AccessRefusal.hint(folder(of: path), .makeInside) : nil)
      }
      throw exists(shown, hint)
    }
    let file = FileDescriptor(owning: number)
    do throws(Failure) { try fill(file, with: key) } catch {
      remove(path)
      throw error
    }
    try confirm(path)
  }

  private static func exists(_ shown: String, _ hint: String) -> Failure {
    Failure(.exists, "there is a file \(shown) already", hint: "a key file is never replaced; \(hint)")
  }

  private static func fill(_ file: borrowing FileDescriptor, with key: borrowing SecureBytes) throws(Failure) {
    guard fchmod(file.raw, 0o600) == 0 else { throw .system("set the mode of the key file") }
    try unsafe key.withBytes { bytes throws(Failure) in try unsafe file.write(bytes) }
    guard fsync(file.raw) == 0 else { throw .system("bring the key file to the disk") }
  }

  /// Brings the name of a new key file to the disk, or removes it.
  private static func confirm(_ path: String) throws(Failure) {
    do throws(Failure) {
      let directory = try FileDescriptor.open(folder(of: path), flags: O_RDONLY | O_DIRECTORY)
      guard fsync(directory.raw) == 0 else { throw .system("bring the key file to the disk") }
    } catch {
      remove(path)
      throw error
    }
  }

  /// Removes a key file that was made for a vault which could not be made.
  public static func remove(_ path: String) { unsafe unlink(path) }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }
}
