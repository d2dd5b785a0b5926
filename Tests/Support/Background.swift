import Foundation

/// A program that runs beside a test, without a terminal, in a session of its own. Its output goes to files of its own. It
/// is killed after five minutes, for programs that hang, and when this value ends.
public final class Background {
  private let process = Process()
  private let output: String
  private let errors: String

  /// Starts a program.
  public init(_ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:]) throws {
    let name = UUID().uuidString
    (output, errors) = (sandbox(".out-\(name)"), sandbox(".err-\(name)"))
    for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    process.arguments = ["--kill-after=2", "300", "setsid", "--wait"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: sandbox.path)
    process.environment = Programs.environment(in: sandbox).merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    let process = self.process
    try withoutBlockedSignals { try process.run() }
  }

  deinit {
    end()
    for file in [output, errors] { try? FileManager.default.removeItem(atPath: file) }
  }

  /// Whether it runs.
  public var isRunning: Bool { process.isRunning }
  /// What it has printed on stdout.
  public var text: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
  /// What it has printed on stderr.
  public var errorText: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

  /// Waits until what is on stderr is as asked, a minute at most, and returns it.
  public func errorText(until isDone: (String) -> Bool) -> String {
    for _ in 0..<3_000 where !isDone(errorText) && process.isRunning { usleep(20_000) }
    return errorText
  }

  /// Waits until what is on stdout is as asked, a minute at most, and returns it.
  public func text(until isDone: (String) -> Bool) -> String {
    for _ in 0..<6_000 where !isDone(text) && process.isRunning { usleep(10_000) }
    return text
  }

  /// Its exit status once it has ended, or 128 plus the signal that ended it.
  public func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
  }

  /// The program itself, which `timeout` and `setsid` started.
  public var program: pid_t? {
    func child(of parent: pid_t) -> pid_t? {
      let list = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
      return list?.split(separator: " ").first.flatMap { pid_t($0) }
    }
    // setsid starts another process only where it must.
    return child(of: process.processIdentifier).flatMap { first in
      let name = try? String(contentsOfFile: "/proc/\(first)/comm", encoding: .utf8)
      return name == "setsid\n" ? child(of: first) : first
    }
  }

  /// Sends SIGINT, as Ctrl-C does.
  public func interrupt() { send(SIGINT) }

  /// Sends a signal.
  public func send(_ signal: Int32) { if let program { kill(program, signal) } }

  /// Kills it.
  public func end() {
    guard process.isRunning else { return }
    if let program { kill(program, SIGKILL) }
    process.terminate()
    process.waitUntilExit()
  }
}
