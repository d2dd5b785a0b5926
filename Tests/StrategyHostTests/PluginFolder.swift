import Basics
import Foundation
import StrategyHost

/// A temporary folder with a plugin `probe` in it that may be run: a small library made by gcc, a manifest and a lock file;
/// and, as `mfs-strategy-host`, a Python program that plays its process.
final class PluginFolder {
  let path: String

  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  static let manifest = """
    manifest: 1
    name: probe
    version: 1.2.3
    abi: 1
    summary: A plugin of the tests.
    operations: [login, refresh]
    interaction: login
    settings:
      - name: EXPO_PUBLIC_SG_URL
        required: true
      - name: EXPO_PUBLIC_SG_DB
    needs:
      http:
        - origin: setting:EXPO_PUBLIC_SG_URL
          methods: [GET, POST]
          purpose: opens the session
      vault:
        - name: auth.password
          access: use
          purpose: signs in again
        - name: auth.identifier
          access: read
          purpose: signs in again
      prompt:
        purpose: asks for the password

    """

  init(child: String = "", manifest: String = PluginFolder.manifest) throws {
    path = FileManager.default.temporaryDirectory.path + "/mfsctl-plugins-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try FileManager.default.copyItem(atPath: PluginFolder.library.get(), toPath: path + "/libmfs-strategy-probe.so")
    try write("mfs-strategy-probe.yaml", manifest)
    guard let prelude = Bundle.module.path(forResource: "child", ofType: "py", inDirectory: "Resources") else {
      throw Broken(description: "Resources/child.py is not in the bundle")
    }
    try write(
      "child.py", "#!\(try PluginFolder.python())\n" + String(contentsOfFile: prelude, encoding: .utf8) + child + "\n")
    try PluginFolder.install(path + "/child.py", as: path + "/mfs-strategy-host", mode: "755")
    try lock()
  }

  /// Copies a program that will be run. Another process does it: while this one held the new file open for writing, a test
  /// beside this could fork and keep it open, and running it would fail (ETXTBSY).
  static func install(_ file: String, as target: String, mode: String) throws {
    try tool(["install", "-m", mode, file, target])
  }

  // Made once: most tests need one that passes, whatever is in it.
  private static let library = Result {
    let path = FileManager.default.temporaryDirectory.path + "/mfsctl-probe-\(getpid()).so"
    try "int probe(void) { return 1; }\n".write(toFile: path + ".c", atomically: false, encoding: .utf8)
    try tool(["gcc", "-shared", "-fPIC", "-o", path, path + ".c"])
    atexit { PluginFolder.removeLibrary() }
    return path
  }

  private static func removeLibrary() {
    guard let path = try? library.get() else { return }
    for file in [path, path + ".c"] { try? FileManager.default.removeItem(atPath: file) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Makes the library, with these flags and this code.
  func compile(_ code: String, flags: [String] = [], name: String = "probe") throws {
    try write("probe.c", code + "\n")
    try PluginFolder.tool(
      ["gcc", "-shared", "-fPIC", "-o", "libmfs-strategy-\(name).so", "probe.c"] + flags, in: path)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: path + "/libmfs-strategy-\(name).so")
  }

  /// Writes the lock file for what is there now.
  func lock() throws { _ = try StrategyLock.write(folder: path) }

  func write(_ name: String, _ text: String, mode: Int = 0o644) throws {
    try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
    try chmod(name, mode)
  }

  func chmod(_ name: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path + "/" + name)
  }

  /// The folder as a place for plugins.
  func folder(
    isBuiltin: Bool = false, owners: Set<UInt32> = StrategyLocations.trustedUsers, isLocked: Bool = true
  ) -> StrategyLocations.Folder { .init(path: path, isBuiltin: isBuiltin, owners: owners, isLocked: isLocked) }

  var locations: StrategyLocations { .init(folders: [folder()], runner: path + "/mfs-strategy-host") }

  /// Each reason why the plugin is refused.
  func problems(owners: Set<UInt32> = StrategyLocations.trustedUsers) throws -> [String] {
    let locations = StrategyLocations(folders: [folder(owners: owners)], runner: "")
    return try StrategyCatalogue(locations).entry("probe").problems
  }

  /// Runs a program of the machine's and returns what it printed.
  @discardableResult
  static func tool(_ arguments: [String], in folder: String = "/") throws -> String {
    let process = Process(), output = Pipe(), errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let trouble = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Broken(description: "the test needs '\(arguments.joined(separator: " "))' to work: \(trouble)")
    }
    return text
  }

  /// The path of the Python interpreter, since the child has no PATH to find it by.
  private static func python() throws -> String {
    try tool(["python3", "-c", "import sys; print(sys.executable)"]).trimmingCharacters(in: .newlines)
  }
}
