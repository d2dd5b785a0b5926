public import Basics
internal import CLinux
internal import Glibc

/// Ways for a secret to come in: straight into guarded memory, with no copy elsewhere. `what` names the source in
/// messages, e.g. "the passphrase file".
public enum SecretInput {
  /// Reads an open descriptor, which stays open, to its end. Throws ``FailureCode/usage`` when it is not open or gives
  /// more than `limit` bytes, ``FailureCode/inputOutput`` when it cannot be read.
  public static func read(descriptor: Int32, limit: Int, what: String) throws(Failure) -> SecureBytes {
    guard clinux_is_open(descriptor) == 1 else {
      throw Failure(.usage, "\(what) should come from descriptor \(descriptor), which is not open")
    }
    var size = 4_096
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      size = min(max(Int(status.st_size), 0), limit) + 1
    }
    var buffer = try SecureBytes(count: min(size, limit + 1))
    var count = 0
    while true {
      if count == buffer.count {
        guard count <= limit else { throw tooLong(what, limit) }
        let larger = try SecureBytes(count: min(count * 2, limit + 1))
        unsafe larger.withMutableBytes { to in unsafe buffer.withBytes { unsafe to.copyMemory(from: $0) } }
        buffer = larger
      }
      let room = buffer.count - count
      let got = unsafe buffer.withPointer { unsafe Glibc.read(descriptor, $0 + count, room) }
      if got < 0 {
        if clinux_errno() == EINTR { continue }
        throw .system("read \(what)")
      }
      if got == 0 { break }
      count += got
      guard count <= limit else { throw tooLong(what, limit) }
    }
    return try SecureBytes(viewing: SecureBox(buffer), 0..<count)
  }

  /// Reads a file that only its owner can get at: a plain file of ours or root's, with a mode of 0600 or stricter, or a
  /// pipe. What lies in `credentials`, the folder in which systemd hands credentials over (`CREDENTIALS_DIRECTORY`), may have the mode
  /// 0440: so an access list for the one service shows. Throws ``FailureCode/notFound``, ``FailureCode/permissions``, and as the other
  /// does.
  public static func read(
    file path: String, limit: Int, what: String, credentials: String? = nil
  ) throws(Failure) -> SecureBytes {
    let isCredential = credentials.map { isDirectly(path, in: $0) } ?? false
    // Nothing else than a plain file is a credential, and nothing is waited for there.
    let file = try FileDescriptor.open(
      path, flags: O_RDONLY | O_NOCTTY | (isCredential ? O_NONBLOCK : 0))
    let status = try file.status()
    let shown = OutsideText.clean(path, limit: 300)
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      guard status.st_uid == geteuid() || status.st_uid == 0 else {
        let owner = AccessRefusal.user(status.st_uid)
        throw Failure(
          .permissions, "\(what) belongs to \(owner): \(shown)",
          hint: "use one of your own, or run this as that user ('sudo -u \(owner)')")
      }
      guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else {
        let mode = String(status.st_mode & 0o777, radix: 8)
        throw Failure(
          .permissions, "others can get at \(what) (mode \(mode)): \(shown)",
          hint: status.st_uid == geteuid()
            ? "if nobody did, 'chmod 600 \(shown)' makes it safe; else replace the secret"
            : "it belongs to \(AccessRefusal.user(status.st_uid)), who can make it safe if nobody did; else replace the secret"
        )
      }
    case S_IFIFO where !isCredential: break
    default: throw Failure(.usage, "\(what) is not a file: \(shown)")
    }
    return try read(descriptor: file.raw, limit: limit, what: what)
  }

  private static func isDirectly(_ path: String, in folder: String) -> Bool {
    let folder = folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
    guard folder.utf8.count > 1, path.utf8.starts(with: folder.utf8) else { return false }
    let name = path.utf8.dropFirst(folder.utf8.count)
    return !name.isEmpty && !name.contains(UInt8(ascii: "/"))
  }

  /// The secret without one line end (`\n` or `\r\n`) at its end.
  public static func droppingLineEnd(_ secret: consuming SecureBytes) throws(Failure) -> SecureBytes {
    let kept = unsafe secret.withBytes { bytes in
      guard unsafe bytes.last == 0x0A else { return bytes.count }
      return unsafe bytes.count - (bytes.dropLast().last == 0x0D ? 2 : 1)
    }
    return kept == secret.count ? secret : try SecureBytes(viewing: SecureBox(secret), 0..<kept)
  }

  static func tooLong(_ what: String, _ limit: Int) -> Failure {
    Failure(.usage, "\(what) is longer than \(limit) bytes")
  }
}
