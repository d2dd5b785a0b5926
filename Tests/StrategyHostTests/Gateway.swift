import Foundation

/// A small server, `Resources/gateway.py`, running until this value goes.
final class Gateway: Sendable {
  /// One for all tests; it ends with this process, whose end closes its stdin.
  static let shared = Result { try Gateway() }

  let port: UInt16
  private let process = Process()
  private let input = Pipe()

  var url: String { "http://127.0.0.1:\(port)" }
  var socketURL: String { "ws://127.0.0.1:\(port)" }

  init() throws {
    guard let script = Bundle.module.path(forResource: "gateway", ofType: "py", inDirectory: "Resources") else {
      throw PluginFolder.Broken(description: "Resources/gateway.py is not in the bundle")
    }
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != 0x0A {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw PluginFolder.Broken(description: "the test gateway needs python3")
      }
      line.append(byte)
    }
    guard let port = UInt16(String(decoding: line.dropLast(), as: UTF8.self)) else {
      throw PluginFolder.Broken(description: "the test gateway named no port")
    }
    self.port = port
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
