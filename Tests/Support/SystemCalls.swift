import Foundation

/// The system calls that change or lock something on disk, as strace names and writes them.
enum DiskCalls {
  static let opening = ["open", "openat", "openat2"]
  static let changing = [
    "creat", "mkdir", "mkdirat", "mknod", "mknodat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir",
    "link", "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat",
    "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr", "fsetxattr",
    "fsync", "fdatasync", "flock", "fcntl",
  ]

  /// The value of strace's `trace=`: a name with '?' may be missing on this machine's architecture.
  static func trace(_ more: [String] = []) -> String {
    "trace=" + (opening + changing + more).map { "?" + $0 }.joined(separator: ",")
  }

  /// The name of the call that a line of strace's is about.
  static func name(_ line: String) -> String {
    String(line.drop { $0.isNumber || $0 == " " }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }

  /// Whether a line is of a call that changes or locks. `/dev/null` and a terminal are not on disk.
  static func isChange(_ line: String) -> Bool {
    let call = name(line)
    if line.contains("\"/dev/null\"") || line.contains("\"/dev/tty\"") { return false }
    if opening.contains(call) {
      return ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].contains { line.contains($0) }
    }
    return call == "fcntl" ? line.contains("_SETLK") : changing.contains(call)
  }
}

/// Runs a program under strace, children included, and returns how it ended and each system call that was made to change
/// or to lock something on disk, as strace writes it.
public func runWatchingWrites(
  _ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:], input: Data = Data()
) throws -> (result: RunResult, writes: [String]) {
  let trace = sandbox(".strace")
  defer { try? FileManager.default.removeItem(atPath: trace) }
  let result = try run(
    ["strace", "-f", "-qq", "-o", trace, "-e", DiskCalls.trace(), "-e", "signal=none"] + arguments, in: sandbox,
    environment: environment, input: input)
  let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
  guard lines.contains(where: { $0.contains("openat(") }) else { throw POSIXError(.ENOEXEC) }
  return (result, lines.filter(DiskCalls.isChange))
}
