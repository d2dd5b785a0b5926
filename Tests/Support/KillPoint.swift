import Foundation

/// One place to kill a program at: as it enters a system call that changes or locks something on disk, before the call has
/// any effect.
///
/// What a kill leaves behind is what the calls before it did to the disk, and nothing that happens between two of these
/// calls is seen from outside. So the points of one run, and its end, stand for a kill at any moment of it.
public struct KillPoint: Sendable, CustomStringConvertible {
  let call: String
  let number: Int
  let line: String

  /// The call as strace wrote it, and which one of its name it is.
  public var description: String { "\(call) number \(number), \(line)" }

  /// Runs a program to its end once and returns its kill points. Children that it starts have none: only its own calls
  /// count.
  public static func all(
    of arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:], input: Data = Data()
  ) throws -> (result: RunResult, points: [KillPoint]) {
    let trace = sandbox(".strace")
    defer { try? FileManager.default.removeItem(atPath: trace) }
    let result = try run(
      [
        "strace", "-y", "-qq", "-o", trace, "-e", DiskCalls.trace(["write", "writev", "pwrite64"]), "-e", "signal=none",
      ]
        + arguments, in: sandbox, environment: environment, input: input)
    var counts: [String: Int] = [:]
    var points: [KillPoint] = []
    for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init) {
      let call = DiskCalls.name(line)
      counts[call, default: 0] += 1
      // To a pipe or a socket: not on disk.
      let elsewhere = ["<pipe:", "<socket:", "<TCP:", "<UNIX", "<anon_inode:"].contains { line.contains($0) }
      guard DiskCalls.isChange(line) || (call.hasPrefix("write") || call == "pwrite64") && !elsewhere else { continue }
      points.append(KillPoint(call: call, number: counts[call] ?? 0, line: line))
    }
    return (result, points)
  }

  /// Runs the program again and kills it here. Its status is 137, unless this run did not come to the call.
  public func kill(
    _ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:], input: Data = Data()
  ) throws -> RunResult {
    try run(
      ["strace", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(number)"]
        + arguments, in: sandbox, environment: environment, input: input)
  }
}
