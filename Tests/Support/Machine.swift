import CLinux
import Testing

/// What the machine that runs the tests has.
public enum Machine {
  /// Whether its kernel has Landlock.
  public static let hasLandlock = clinux_landlock_version() > 0
}

/// Says, as a warning beside the results, what this machine cannot test. Nothing passes unsaid.
public func notTested(_ what: String, place: SourceLocation = #_sourceLocation) {
  Issue.record("not tested here: \(what)", severity: .warning, sourceLocation: place)
}
