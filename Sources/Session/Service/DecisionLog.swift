public import Basics
internal import Glibc

/// The log of what the session decided and when: `state/session.log`, one JSON object a line, mode 0600, for all
/// profiles. It is bounded: a full one becomes `session.log.1`, in place of the one before.
public struct DecisionLog: Sendable {
  /// The file.
  public let path: String
  /// How many bytes it may have.
  public let limit: Int
  private let profile: ProfileName

  /// The log of a profile's decisions.
  public init(_ directories: Directories, profile: ProfileName, limit: Int = 262_144) {
    path = "\(directories.state)/session.log"
    self.limit = limit
    self.profile = profile
  }

  /// Adds a decision. Several processes may do so at once: a line is one write to the end of the file. Throws
  /// ``FailureCode/inputOutput``; ``FailureCode/permissions`` when the file is not this user's alone.
  public func append(_ decision: SessionDecision) throws(Failure) {
    let line: JSONValue = [
      "at": .string("\(decision.at)"), "profile": .string(profile.text), "pid": .number(getpid()),
      "event": .string(decision.event), "effects": .strings(decision.effects), "state": .string(decision.state),
    ]
    let bytes = Array((line.text + "\n").utf8)
    let file = try open()
    guard try isFull(file, adding: bytes.count) else { return try file.write(bytes) }
    guard unsafe rename(path, path + ".1") == 0 else { throw .system("put a full log aside") }
    try open().write(bytes)
  }

  private func open() throws(Failure) -> FileDescriptor {
    try Files.openOwn(path, flags: O_WRONLY | O_APPEND, what: "the decision log", forbiddenMode: 0o077)
  }

  /// Whether this process is to put the file aside: it is full, nobody else is doing so, and nobody has.
  private func isFull(_ file: borrowing FileDescriptor, adding count: Int) throws(Failure) -> Bool {
    let opened = try file.status()
    guard opened.st_size + count > limit, flock(file.raw, LOCK_EX | LOCK_NB) == 0 else { return false }
    var current = stat()
    return unsafe lstat(path, &current) == 0 && current.st_ino == opened.st_ino && current.st_dev == opened.st_dev
  }
}
