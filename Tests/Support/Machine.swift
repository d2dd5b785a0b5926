import CLinux
import Foundation
import Testing

/// What the machine that runs the tests has.
public enum Machine {
  /// Whether its kernel has Landlock.
  public static let hasLandlock = clinux_landlock_version() > 0

  /// libfaketime (Debian package `faketime`); with `hasThreads` the one for programs whose threads look at the clock at once.
  public static func faketimeLibrary(hasThreads: Bool = false) throws -> String {
    let name = hasThreads ? "libfaketimeMT.so.1" : "libfaketime.so.1"
    let libraries = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime/\(name)" }
    return try #require(
      libraries.first { FileManager.default.fileExists(atPath: $0) },
      "libfaketime is not installed: run 'make deps-test' (faketime)")
  }

  /// What stands before a command whose clock is to be another one, e.g. `-3d` or `+0 x20`. The program `faketime` is
  /// passed over: it stops at shared memory that a killed one left under its number, which the library makes anew.
  public static func faketime(_ clock: String) throws -> [String] {
    ["/usr/bin/env", "LD_PRELOAD=\(try faketimeLibrary())", "FAKETIME=\(clock)"]
  }
}

/// Says, as a warning beside the results, what this machine cannot test. Nothing passes unsaid.
public func notTested(_ what: String, place: SourceLocation = #_sourceLocation) {
  Issue.record("not tested here: \(what)", severity: .warning, sourceLocation: place)
}
