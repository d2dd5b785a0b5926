import Foundation

/// Keys made by the real minisign, in a folder of their own: `NAME.key` and `NAME.pub`.
final class MinisignKeys {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/mfsctl-keys-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func publicKey(_ name: String) -> String { "\(path)/\(name).pub" }
  func secretKey(_ name: String) -> String { "\(path)/\(name).key" }

  /// Makes a pair, its secret key under a password or, without one, in the open.
  func make(_ name: String, password: String? = nil) throws {
    let files = "-p \(name).pub -s \(name).key"
    let line =
      password.map { "printf '%s\\n%s\\n' '\($0)' '\($0)' | minisign -G \(files)" } ?? "minisign -G -W \(files)"
    try minisign(line)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secretKey(name))
  }

  /// Runs a shell line that runs minisign, in the folder of the keys.
  @discardableResult
  func minisign(_ line: String) throws -> String {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/minisign") else {
      throw PluginFolder.Broken(description: "the test needs minisign: apt-get install minisign")
    }
    return try PluginFolder.tool(["sh", "-ec", line], in: path)
  }
}
