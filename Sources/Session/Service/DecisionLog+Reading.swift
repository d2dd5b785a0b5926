public import Basics
internal import Glibc

extension DecisionLog {
  /// The newest decisions of the profile, oldest first, `limit` at most. A log that is not there is empty; a line that is none,
  /// such as one that a full disk cut short, is left out. Throws ``FailureCode/inputOutput``.
  public func newest(_ limit: Int) throws(Failure) -> [LoggedDecision] {
    let follower = DecisionLogFollower(self)
    // Opened before the one that it may become meanwhile, which is then the same file.
    let current = try DecisionLog.openForReading(path)
    let older = try DecisionLog.openForReading(olderPath)
    var lines: [LoggedDecision] = []
    let isSame = try current.flatMap { file throws(Failure) in try older?.isSame(as: file) } ?? false
    if let older, !isSame { lines += try follower.lines(of: older) }
    if let current { lines += try follower.lines(of: current) }
    return Array(lines.suffix(max(0, limit)))
  }

  /// A log's file, open for reading; nil when there is none.
  static func openForReading(_ path: String) throws(Failure) -> OpenLog? {
    do throws(Failure) {
      let file = try FileDescriptor.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
      let shown = OutsideText.clean(path, limit: 300)
      guard try file.status().st_mode & S_IFMT == S_IFREG else {
        throw Failure(
          .permissions, "the decision log \(shown) is not a plain file", hint: "look who did that, and remove it")
      }
      return OpenLog(file)
    } catch  where error.code == .notFound { return nil }
  }
}

/// A log's file that is being read, and where.
final class OpenLog {
  private let file: FileDescriptor
  /// The beginning of a line whose end has not come yet.
  private var rest: [UInt8] = []
  // The longest line that is one.
  private static let longest = 16_384

  init(_ file: consuming FileDescriptor) { self.file = file }

  func isSame(as other: OpenLog) throws(Failure) -> Bool { try isSame(as: other.file.status()) }

  func isSame(as other: stat) throws(Failure) -> Bool {
    let own = try file.status()
    return own.st_ino == other.st_ino && own.st_dev == other.st_dev
  }

  /// The lines that have been added since the last call, without their ends.
  func newLines() throws(Failure) -> [ArraySlice<UInt8>] {
    var bytes = rest
    while try file.read(into: &bytes, count: 65_536) > 0 {}
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    rest = lines.popLast().map { $0.count > OpenLog.longest ? [] : Array($0) } ?? []
    return lines.filter { !$0.isEmpty && $0.count <= OpenLog.longest }
  }
}

/// Reads a decision log as it grows.
public final class DecisionLogFollower {
  private let log: DecisionLog
  private var current: OpenLog?

  /// Follows the log of a profile's decisions from its beginning.
  public init(_ log: DecisionLog) { self.log = log }

  /// What the profile decided since the last call. Throws ``FailureCode/inputOutput``.
  public func new() throws(Failure) -> [LoggedDecision] {
    var found: [LoggedDecision] = []
    // A file that was put aside is read to its end first.
    if let current { found += try lines(of: current) }
    var status = stat()
    guard unsafe lstat(log.path, &status) == 0 else { return found }
    if let current, try current.isSame(as: status) { return found }
    // The writers that had it open are done with it once it has gone.
    if let current { found += try lines(of: current) }
    current = try DecisionLog.openForReading(log.path)
    if let current { found += try lines(of: current) }
    return found
  }

  func lines(of file: OpenLog) throws(Failure) -> [LoggedDecision] {
    try file.newLines().compactMap { LoggedDecision(Array($0)) }.filter { $0.profile == log.profile.text }
  }
}

/// A line of the decision log.
public struct LoggedDecision: Sendable {
  /// The line as an object.
  public let json: JSONValue
  /// Which profile it is about.
  public let profile: String

  /// Reads a line; nil when it is none.
  init?(_ bytes: [UInt8]) {
    guard let json = try? JSONReader.value(bytes, maximumSize: 16_384), let profile = json["profile"]?.string,
      json["at"]?.string != nil, json["event"]?.string != nil, json["state"]?.string != nil
    else { return nil }
    (self.json, self.profile) = (json, profile)
  }

  /// For people: `2026-09-04T12:00:00Z  refreshFailed unreachable -> offline (session.network) at https://sync.example.com`.
  public var line: String {
    func text(_ name: String) -> String { OutsideText.clean(json[name]?.string ?? "", limit: 120) }
    var line = "\(text("at"))  \(text("event")) -> \(text("state"))"
    if json["reason"]?.string != nil { line += " (\(text("reason")))" }
    if json["origin"]?.string != nil { line += " at \(text("origin"))" }
    return line
  }
}
