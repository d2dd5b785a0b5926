import Foundation
import Testing

/// A sample unit of docs/systemd, held against what systemd itself says of it.
public struct SampleUnit {
  private let file: String
  private let program: String

  /// The unit of a file in that folder, which runs `/usr/local/bin/PROGRAM`.
  public init(_ file: String, program: String) {
    self.file = file
    self.program = program
  }

  /// Expects it to have some words, to have no fault that `systemd-analyze verify` finds, and to be no more exposed than `exposure`, in
  /// tenths of what `systemd-analyze security` calls so: 0 for a unit that may do nothing, 100 for one that may do all.
  public func expectSound(
    _ words: [String], exposure: Int, place: SourceLocation = #_sourceLocation
  ) throws {
    let unit = try String(contentsOfFile: Programs.checkout + "/docs/systemd/" + file, encoding: .utf8)
    for word in words { #expect(unit.contains(word), "\(word)", sourceLocation: place) }
    try #require(
      FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
      "systemd-analyze is not installed: run 'make deps-test' (systemd)", sourceLocation: place)
    let sandbox = try Sandbox()
    // The program stands where it was built, not where the unit has it.
    try sandbox.write(
      file, unit.replacingOccurrences(of: "/usr/local/bin/" + program, with: Programs.buildFolder + "/" + program))
    let result = try run(["systemd-analyze", "verify", "--man=no", sandbox(file)], in: sandbox)
    #expect(
      result.status == 0 && !result.errorText.contains(file + ":"), "\(result.errorText)", sourceLocation: place)
    let exposed = try run(
      ["systemd-analyze", "security", "--offline=true", "--threshold=\(exposure)", sandbox(file)], in: sandbox)
    #expect(exposed.status == 0, "\(exposed.text)\(exposed.errorText)", sourceLocation: place)
  }
}
