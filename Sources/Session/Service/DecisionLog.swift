public import Basics
internal import Glibc

/// The log of what the session decided, when and why: `state/session.log`, one JSON object a line, mode 0600, for all
/// profiles. It is bounded: a full one becomes `session.log.1`, in place of the one before.
public struct DecisionLog: Sendable {
  /// The file.
  public let path: String
  /// How many bytes it may have.
  public let limit: Int
  let profile: ProfileName

  /// The log of a profile's decisions.
  public init(_ directories: Directories, profile: ProfileName, limit: Int = 262_144) {
    path = "\(directories.state)/session.log"
    self.limit = limit
    self.profile = profile
  }

  /// The file before this one.
  var olderPath: String { path + ".1" }

  /// Adds a decision. Several processes may do so at once: a line is one write to the end of the file, under a shared lock that
  /// keeps the file from being put aside meanwhile. Throws ``FailureCode/inputOutput``; ``FailureCode/permissions`` when the
  /// file is not this user's alone.
  public func append(_ decision: SessionDecision) throws(Failure) {
    let line: JSONValue = [
      "at": .string("\(decision.at)"), "profile": .string(profile.text), "pid": .number(getpid()),
      "event": .string(decision.event), "effects": .strings(decision.effects), "state": .string(decision.state),
      "reason": .optional(decision.reason), "origin": .optional(decision.origin),
    ]
    let bytes = Array((line.text + "\n").utf8)
    // Others may put it aside between the opening and the lock; nobody does so many times in a row.
    for _ in 0..<8 {
      let file = try open()
      if try isFull(file, adding: bytes.count), try putAside(file, adding: bytes.count) { continue }
      // A writer that was stopped with the lock in its hands is not waited for: the line counts for more.
      let isLocked = try FileLock.acquire(file, shared: true, until: DecisionLog.soon)
      if isLocked, !isCurrent(file) { continue }
      return try file.write(bytes)
    }
    try open().write(bytes)
  }

  private static var soon: MonotonicInstant { .now().advanced(bySeconds: 1) }

  private func open() throws(Failure) -> FileDescriptor {
    try Files.openOwn(path, flags: O_WRONLY | O_APPEND, what: "the decision log", forbiddenMode: 0o077)
  }

  private func isFull(_ file: borrowing FileDescriptor, adding count: Int, times factor: Int = 1) throws(Failure)
    -> Bool
  {
    try file.status().st_size + count > limit * factor
  }

  private func isCurrent(_ file: borrowing FileDescriptor) -> Bool {
    var current = stat()
    guard let opened = try? file.status(), unsafe lstat(path, &current) == 0 else { return false }
    return current.st_ino == opened.st_ino && current.st_dev == opened.st_dev
  }

  /// Puts a full file aside once nobody writes to it; whoever waited for that finds it done. False when somebody does not
  /// let go of it: it grows then, to twice its size at most.
  private func putAside(_ file: borrowing FileDescriptor, adding count: Int) throws(Failure) -> Bool {
    let isLocked = try FileLock.acquire(file, until: DecisionLog.soon)
    guard isCurrent(file) else { return true }
    if !isLocked, try !isFull(file, adding: count, times: 2) { return false }
    guard unsafe rename(path, olderPath) == 0 else { throw .system("put a full log aside") }
    return true
  }
}
