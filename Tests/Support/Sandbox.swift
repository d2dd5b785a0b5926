import Foundation

/// A temporary folder for one test, with a folder of mfsctl's own inside; removed when this value goes.
public final class Sandbox: Sendable {
  /// The folder's path.
  public let path: String

  /// Makes an empty folder that only this user can enter.
  public init() throws {
    var template = Array((NSTemporaryDirectory() + "/mfsctl-test.XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file inside.
  public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file inside, making its folders.
  @discardableResult
  public func write(_ name: String, _ text: String, mode: Int = 0o644) throws -> String {
    let file = self(name)
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }
}
