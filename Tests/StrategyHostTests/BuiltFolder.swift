import Basics
import Foundation
import StrategyHost

/// The real plugins of this build, copied into a folder of their own with their manifests and a lock file, as an
/// installation has them.
final class BuiltFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/mfsctl-built-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let products = Bundle.module.bundleURL.deletingLastPathComponent().path
    let sources =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path + "/Sources/StrategyPlugins"
    for (folder, name) in [("Demo", "demo"), ("Basic", "basic")] {
      try copy("\(products)/libmfs-strategy-\(name).so", mode: "755")
      try copy("\(sources)/\(folder)/mfs-strategy-\(name).yaml", mode: "644")
    }
    for program in ["mfs-strategy-host", "mfs-strategy-trial"] { try copy("\(products)/\(program)", mode: "755") }
    _ = try StrategyLock.write(folder: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var locations: StrategyLocations {
    .init(
      folders: [.init(path: path, isBuiltin: true, owners: StrategyLocations.trustedUsers)],
      runner: path + "/mfs-strategy-host")
  }

  private func copy(_ file: String, mode: String) throws {
    guard FileManager.default.fileExists(atPath: file) else {
      throw PluginFolder.Broken(description: "the test needs \(file), which 'swift build' makes")
    }
    let target = path + "/" + URL(fileURLWithPath: file).lastPathComponent
    try PluginFolder.install(file, as: target, mode: mode)
  }
}
