import Foundation

/// Runs a program under strace, children included, and returns how it ended and each system call that was made to change
/// or to lock something on disk, as strace writes it. `/dev/null` and a terminal are not on disk.
public func runWatchingWrites(
  _ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:], input: Data = Data()
) throws -> (result: RunResult, writes: [String]) {
  let trace = sandbox(".strace")
  defer { try? FileManager.default.removeItem(atPath: trace) }
  let opening = ["open", "openat", "openat2"]
  let changing = [
    "creat", "mkdir", "mkdirat", "mknod", "mknodat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir",
    "link", "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat",
    "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr", "fsetxattr",
    "fsync", "fdatasync", "flock", "fcntl",
  ]
  // A name with '?' may be missing on this machine's architecture.
  let names = (opening + changing).map { "?" + $0 }.joined(separator: ",")
  let result = try run(
    ["strace", "-f", "-qq", "-o", trace, "-e", "trace=\(names)", "-e", "signal=none"] + arguments, in: sandbox,
    environment: environment, input: input)
  let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
  guard lines.contains(where: { $0.contains("openat(") }) else { throw POSIXError(.ENOEXEC) }
  let writes = lines.filter { line in
    let call = line.drop { $0.isNumber || $0 == " " }.prefix { $0 != "(" }
    if line.contains("\"/dev/null\"") || line.contains("\"/dev/tty\"") { return false }
    if opening.contains(String(call)) {
      return ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].contains { line.contains($0) }
    }
    return call == "fcntl" ? line.contains("_SETLK") : changing.contains(String(call))
  }
  return (result, writes)
}
