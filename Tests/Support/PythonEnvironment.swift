import Foundation

/// The Python packages of `requirements.txt` in a virtual environment below `.build/`, made by whichever test asks first and
/// used again as long as that file stays the same. Tests of other processes wait for the one that makes it.
public struct PythonEnvironment: Sendable {
  /// The interpreter that finds the packages.
  public let interpreter: String

  /// Makes the environment unless it is there.
  public init() throws {
    let build = "\(Programs.checkout)/.build"
    let folder = "\(build)/python"
    let marker = "\(folder)/requirements-installed.txt"
    let requirements = "\(Programs.checkout)/Tests/Support/requirements.txt"
    interpreter = "\(folder)/bin/python"
    try FileManager.default.createDirectory(atPath: build, withIntermediateDirectories: true)
    let lock = open("\(build)/python.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw PythonServer.Broken(description: "cannot open \(build)/python.lock") }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw PythonServer.Broken(description: "cannot lock \(build)/python.lock") }
    }
    let wanted = try Data(contentsOf: URL(fileURLWithPath: requirements))
    // Written last: an environment that was cut short has none.
    if FileManager.default.contents(atPath: marker) == wanted { return }
    try? FileManager.default.removeItem(atPath: folder)
    // The system's own: one that a developer has built may go before the environment does.
    try PythonEnvironment.run(["/usr/bin/python3", "-m", "venv", folder], hint: "python3-venv")
    try PythonEnvironment.run(
      [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements],
      hint: "python3-pip, and a package index that pip can reach")
    try wanted.write(to: URL(fileURLWithPath: marker))
  }

  private static func run(_ command: [String], hint: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    process.arguments = ["--kill-after=2", "600"] + command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let what = command.joined(separator: " ")
      throw PythonServer.Broken(description: "'\(what)' failed; is it there ('make deps-test'): \(hint)?\n\(text)")
    }
  }
}
