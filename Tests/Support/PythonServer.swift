import Foundation

/// A server of a test's own: a Python program that prints its port on a line and serves until it is killed, which happens
/// when this value goes, or until its stdin closes, which happens at the latest when the tests end.
public final class PythonServer: Sendable {
  /// The port on 127.0.0.1.
  public let port: UInt16
  private let process = Process()
  private let input = Pipe()

  /// What keeps a server from starting.
  public struct Broken: Error, CustomStringConvertible {
    /// What a person can do about it.
    public let description: String

    /// A reason.
    public init(description: String) { self.description = description }
  }

  /// Starts a program and waits for its port. The interpreter may be that of a ``PythonEnvironment``.
  public init(script: String, arguments: [String] = [], interpreter: String = "python3") throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [interpreter, script] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != 0x0A {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw Broken(description: "\(script) did not start; is python3 installed?")
      }
      line.append(byte)
    }
    guard let port = UInt16(String(decoding: line.dropLast(), as: UTF8.self)) else {
      throw Broken(description: "\(script) printed no port")
    }
    self.port = port
  }

  // Killed, not told by closing its stdin: a program that another test started meanwhile may have inherited the pipe's end,
  // and two servers would then wait for each other.
  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
