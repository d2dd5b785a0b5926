internal import Basics
internal import CLinux
internal import Glibc

extension VaultDirectory {
  /// Puts a whole new file in the place of `name`: after a crash or an error at any point the old bytes or the new ones
  /// stand there. The caller holds the lock. Throws ``FailureCode/inputOutput`` with the old file kept, or
  /// ``FailureCode/partial`` when the new one is in place and the disk did not confirm it. With `forgetting` no unfinished
  /// copy of the file stays, however young: it would hold what the new bytes no longer do.
  func replace(_ name: String, with bytes: ByteBlock, forgetting: Bool = false) throws(Failure) {
    removeStaleTemporaries(of: name, olderThan: forgetting ? nil : 3_600)
    try DeferredSignals.during { () throws(Failure) in try commit(name, bytes) }
  }

  private func commit(_ name: String, _ bytes: ByteBlock) throws(Failure) {
    let random = Hexadecimal.encode(try Cipher.randomBytes(8))
    let temporary = ".\(name).\(random).tmp"
    do throws(Failure) {
      let file = try open(temporary, flags: O_RDWR | O_CREAT | O_EXCL)
      try VaultDirectory.fill(file, with: bytes)
      guard unsafe renameat(descriptor.raw, temporary, descriptor.raw, name) == 0 else {
        throw .system("put the new vault in place")
      }
    } catch {
      unsafe unlinkat(descriptor.raw, temporary, 0)
      throw Failure(
        error.code, error.message, hint: error.hint ?? "the vault is as it was before; make room or check the disk")
    }
    guard fsync(descriptor.raw) == 0 else {
      throw Failure(
        .partial, "the change is made, but the disk did not confirm it: \(systemErrorText(clinux_errno()))",
        hint: "check the disk; after a power failure the old vault may be back")
    }
  }

  /// Removes a file of the folder for good; says whether it was there. The caller holds the lock.
  func remove(_ name: String) throws(Failure) -> Bool {
    removeStaleTemporaries(of: name, olderThan: nil)
    if unsafe unlinkat(descriptor.raw, name, 0) != 0 {
      guard clinux_errno() == ENOENT else { throw .system("remove \(shown)/\(name)") }
      return false
    }
    guard fsync(descriptor.raw) == 0 else { throw .system("make sure that the vault is removed", code: .partial) }
    return true
  }

  private static func fill(_ file: borrowing FileDescriptor, with bytes: ByteBlock) throws(Failure) {
    // The mode of a new file is cut by the umask only; this says it outright.
    guard fchmod(file.raw, 0o600) == 0 else { throw .system("set the mode of the new vault") }
    // Room for all of it first, so that a full disk is met before anything is written.
    let status = posix_fallocate(file.raw, 0, off_t(bytes.count))
    guard status == 0 else { throw Failure(.inputOutput, "no room for the new vault: \(systemErrorText(status))") }
    try unsafe bytes.withBytes { bytes throws(Failure) in
      try unsafe file.write(bytes)
      guard fsync(file.raw) == 0 else { throw .system("bring the new vault to the disk") }
      guard lseek(file.raw, 0, SEEK_SET) == 0, try unsafe file.readsBack(bytes) else {
        throw Failure(.inputOutput, "the new vault does not read back as it was written")
      }
    }
  }

  /// Removes what crashed writers left behind. Nobody writes while we hold the lock, but a file system shared between
  /// machines may not know of it: hence the age, in seconds; nil for any.
  private func removeStaleTemporaries(of name: String, olderThan age: Int64?) {
    let now = Timestamp.now().seconds
    for entry in entries() where VaultDirectory.isTemporary(entry, of: name) {
      var status = stat()
      guard unsafe fstatat(descriptor.raw, entry, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_uid == geteuid(),
        age.map({ Int64(status.st_mtim.tv_sec) <= now - $0 }) ?? true
      else { continue }
      unsafe unlinkat(descriptor.raw, entry, 0)
    }
  }

  static func isTemporary(_ entry: String, of name: String) -> Bool {
    let prefix = ".\(name).", suffix = ".tmp"
    guard entry.hasPrefix(prefix), entry.hasSuffix(suffix) else { return false }
    return entry.utf8.count == prefix.utf8.count + 16 + suffix.utf8.count
  }

  private func entries() -> [String] {
    var number: Int32
    repeat {
      number = unsafe clinux_openat(descriptor.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    } while number < 0 && clinux_errno() == EINTR
    guard number >= 0 else { return [] }
    guard let folder = unsafe fdopendir(number) else {
      close(number)
      return []
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        })
    }
    return names
  }
}
