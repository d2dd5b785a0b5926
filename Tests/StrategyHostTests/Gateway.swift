import Foundation
import TestSupport

/// A small server, `Resources/gateway.py`, running until this value goes.
final class Gateway: Sendable {
  /// One for all tests; it ends with this process, whose end closes its stdin.
  static let shared = Result { try Gateway() }

  private let server: PythonServer

  var port: UInt16 { server.port }
  var url: String { "http://127.0.0.1:\(port)" }
  var socketURL: String { "ws://127.0.0.1:\(port)" }

  init() throws {
    guard let script = Bundle.module.path(forResource: "gateway", ofType: "py", inDirectory: "Resources") else {
      throw PythonServer.Broken(description: "Resources/gateway.py is not in the bundle")
    }
    server = try PythonServer(script: script)
  }
}
