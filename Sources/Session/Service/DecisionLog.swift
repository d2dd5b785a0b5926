public import Basics
internal import Glibc

/// The log of what the session decided, when and why: `state/session.log`, one JSON object a line, mode 0600, for all
/// profiles. It is bounded: a full one becomes `session.log.1`, in place of the one before.
public struct DecisionLog: Sendable {
  /// The file.
  public let path: String
  /// How many bytes it may have.
  public let limit: Int
  /// How many seconds another writer is waited for.
  let patience: Double
  let profile: ProfileName

  /// The log of a profile's decisions.
  public init(_ directories: Directories, profile: ProfileName, limit: Int = 262_144, patience: Double = 1) {
    path = "\(directories.state)/session.log"
    self.limit = limit
    self.patience = patience
    self.profile = profile
  }

  /// The file before this one.
  var olderPath: String { path + ".1" }

  /// Adds a decision. Several processes may do so at once: each writes, and puts a full file aside, with the lock of the file
  /// in its hands. Throws ``FailureCode/inputOutput``; ``FailureCode/permissions`` when the file is not this user's alone.
  public func append(_ decision: SessionDecision) throws(Failure) {
    let line: JSONValue = [
      "at": .string("\(decision.at)"), "profile": .string(profile.text), "pid": .number(getpid()),
      "event": .string(decision.event), "effects": .strings(decision.effects), "state": .string(decision.state),
      "reason": .optional(decision.reason), "origin": .optional(decision.origin),
    ]
    let bytes = Array((line.text + "\n").utf8)
    let deadline = MonotonicInstant.now().advanced(bySeconds: patience)
    while true {
      let file = try open()
      let isLocked = try FileLock.acquire(file, until: deadline)
      // Others may put it aside between the opening and the lock.
      guard isCurrent(file) else { continue }
      // A writer that was stopped with the lock in its hands is not waited for: the line counts for more. The file grows
      // then, to twice its size at most.
      guard try isFull(file, adding: bytes.count, times: isLocked ? 1 : 2) else { return try file.write(bytes) }
      guard unsafe rename(path, olderPath) == 0 else { throw .system("put a full log aside") }
    }
  }

  private func open() throws(Failure) -> FileDescriptor {
    try Files.openOwn(path, flags: O_WRONLY | O_APPEND, what: "the decision log", forbiddenMode: 0o077)
  }

  private func isFull(_ file: borrowing FileDescriptor, adding count: Int, times factor: Int) throws(Failure) -> Bool {
    let size = try file.status().st_size
    return size > 0 && size + count > limit * factor
  }

  private func isCurrent(_ file: borrowing FileDescriptor) -> Bool {
    var current = stat()
    guard let opened = try? file.status(), unsafe lstat(path, &current) == 0 else { return false }
    return current.st_ino == opened.st_ino && current.st_dev == opened.st_dev
  }
}
