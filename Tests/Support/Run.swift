import Foundation

/// How a program ended and what it printed.
public struct RunResult: Sendable {
  /// The exit status, or 128 plus the signal that ended it.
  public let status: Int32
  /// Everything on stdout.
  public let output: Data
  /// Everything on stderr.
  public let errors: Data

  /// stdout as text.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// stderr as text.
  public var errorText: String { String(decoding: errors, as: UTF8.self) }
}

/// Where the programs under test are, and how tests run them.
public enum Programs {
  /// The folder that the test runner was built into; `mfsctl` and its parts stand there too.
  public static let buildFolder: String = {
    let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (runner as NSString).deletingLastPathComponent
  }()

  /// The root of the checkout.
  public static let checkout: String = {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
  }()

  /// The environment that programs under test run in: nothing of this process's own but what is named here.
  public static func environment(in sandbox: Sandbox) -> [String: String] {
    [
      "PATH": "\(buildFolder):/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "HOME": sandbox.path, "MFSCTL_HOME": sandbox("home"), "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
    ]
  }
}

/// Runs a program to its end, without a terminal, in its own process group. It is killed after `seconds`, which is for
/// programs that hang: on a busy machine what takes a second may take a minute.
public func run(
  _ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:], input: Data = Data(),
  seconds: Int = 300
) throws -> RunResult {
  let names = (input: sandbox(".stdin"), output: sandbox(".stdout"), errors: sandbox(".stderr"))
  try input.write(to: URL(fileURLWithPath: names.input))
  for name in [names.output, names.errors] { try Data().write(to: URL(fileURLWithPath: name)) }
  defer {
    for name in [names.input, names.output, names.errors] { try? FileManager.default.removeItem(atPath: name) }
  }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
  process.arguments = ["--kill-after=2", String(seconds), "setsid", "--wait"] + arguments
  process.currentDirectoryURL = URL(fileURLWithPath: sandbox.path)
  process.environment = Programs.environment(in: sandbox).merging(environment) { $1 }
  // Files, not pipes: a program that prints much never waits for a reader.
  process.standardInput = FileHandle(forReadingAtPath: names.input)
  process.standardOutput = FileHandle(forWritingAtPath: names.output)
  process.standardError = FileHandle(forWritingAtPath: names.errors)
  try withoutBlockedSignals { try process.run() }
  process.waitUntilExit()
  let status = process.terminationStatus
  return RunResult(
    status: process.terminationReason == .uncaughtSignal ? 128 + status : status,
    output: try Data(contentsOf: URL(fileURLWithPath: names.output)),
    errors: try Data(contentsOf: URL(fileURLWithPath: names.errors)))
}

/// Tests run on threads that block most signals, and a program inherits what the thread that starts it blocks: a server
/// would not see the SIGTERM that is meant to end it.
func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
  var none = sigset_t()
  var before = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  try body()
}
