import Foundation
import TestSupport

/// The Python server of `Resources/server.py`, running until this value goes.
final class TestServer {
  private let server: PythonServer

  var port: UInt16 { server.port }

  init(certificate: String? = nil, key: String? = nil) throws {
    guard let script = Bundle.module.path(forResource: "server", ofType: "py", inDirectory: "Resources") else {
      throw PythonServer.Broken(description: "Resources/server.py is not in the bundle")
    }
    server = try PythonServer(script: script, arguments: [certificate, key].compactMap { $0 })
  }
}

/// A private authority and a server's certificate for 127.0.0.1, made by openssl in a temporary folder.
final class TestAuthority {
  let folder: String
  var authority: String { folder + "/ca.pem" }
  var certificate: String { folder + "/server.pem" }
  var key: String { folder + "/server.key" }

  init(host: String = "127.0.0.1", days: Int = 2) throws {
    folder = FileManager.default.temporaryDirectory.path + "/mfsctl-tls-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    try openssl(["req", "-x509"] + ec + ["-subj", "/CN=test", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"])
    try openssl(["req"] + ec + ["-subj", "/CN=server", "-keyout", "server.key", "-out", "server.csr"])
    try "subjectAltName=IP:\(host)\n".write(toFile: folder + "/ext", atomically: true, encoding: .utf8)
    try openssl([
      "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
      "\(days)", "-extfile", "ext", "-out", "server.pem",
    ])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PythonServer.Broken(description: "the test needs openssl") }
  }
}
