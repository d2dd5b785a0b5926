internal import Glibc

/// Who holds a lock, as the lock's file says: which process, running what, since when.
///
/// A holder that was killed leaves its name behind. So a name counts only while its process runs, and a process is known by
/// its number and by when it was started (/proc/PID/stat, field 22): a number is used again.
public struct LockHolder: Hashable, Sendable, CustomStringConvertible {
  /// The process.
  public let process: Int32
  /// The words of its command, e.g. `session refresh`.
  public let command: String
  /// Since when it has had the lock.
  public let since: Timestamp
  private let started: String

  /// This process, from now on; nil when it cannot be told when it was started.
  public init?(command: String, since: Timestamp = .now()) {
    process = getpid()
    guard let started = LockHolder.start(of: process) else { return nil }
    self.started = started
    self.command = command
    self.since = since
  }

  /// `process 4711, 'session refresh', since 2026-09-04T12:00:00Z`.
  public var description: String {
    "process \(process), '\(OutsideText.clean(command, limit: 60))', since \(since)"
  }

  /// Writes the name into the file of a lock that this process holds. A name that cannot be written is missing, no more.
  public func write(to file: borrowing FileDescriptor) {
    let document: JSONValue = [
      "pid": .number(process), "started": .string(started), "command": .string(command), "since": .string("\(since)"),
    ]
    let bytes = Array((document.text + "\n").utf8)
    LockHolder.clear(file)
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file.raw, $0.baseAddress, $0.count, 0) }
  }

  /// Takes the name out of the file; to be done before the lock is let go of.
  public static func clear(_ file: borrowing FileDescriptor) { _ = ftruncate(file.raw, 0) }

  /// Whose name is in a lock's file; nil when there is none, or its process has ended or cannot be seen from here.
  public init?(readingFrom file: borrowing FileDescriptor) {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file.raw, $0.baseAddress, $0.count, 0) }
    guard count > 0, let document = try? JSONReader.value(Array(bytes.prefix(count)), maximumSize: 1_024),
      case .integer(let number)? = document["pid"], let process = Int32(exactly: number), process > 0,
      let started = document["started"]?.string, let command = document["command"]?.string,
      let since = document["since"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
      LockHolder.start(of: process) == started
    else { return nil }
    self.process = process
    self.command = command
    self.since = since
    self.started = started
  }

  private static func start(of process: Int32) -> String? {
    guard let file = try? FileDescriptor.open("/proc/\(process)/stat", flags: O_RDONLY),
      let bytes = try? file.readToEnd(limit: 4_096)
    else { return nil }
    // The second field is the program's name in brackets, and may hold anything.
    let text = String(decoding: bytes, as: UTF8.self)
    guard let close = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    return fields.count > 19 ? String(fields[19]) : nil
  }
}
