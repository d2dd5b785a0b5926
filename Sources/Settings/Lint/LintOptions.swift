public import Basics

/// How a linter looks at files.
public struct LintOptions: Sendable {
  /// Whose reading counts.
  public var dialect: Dialect
  /// Severities that differ from the rules' own.
  public var severities: [Rule: Severity]
  /// The process environment that counts; empty for none.
  public var environment: Environment

  /// Options.
  public init(
    dialect: Dialect = .expo, severities: [Rule: Severity] = [:], environment: Environment = Environment([:])
  ) {
    self.dialect = dialect
    self.severities = severities
    self.environment = environment
  }

  /// What weighs: an option, or else `standard`.
  func severity(of rule: Rule, standard: Severity) -> Severity { severities[rule] ?? standard }

  /// Reads `NAME=error|warning|off` as `--rule` has it. Throws ``FailureCode/usage``.
  public mutating func take(rule text: String) throws(Failure) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let severity = Severity(rawValue: parts[1]) else {
      throw Failure(
        .usage, "--rule is '\(OutsideText.clean(text, limit: 80))', not NAME=error, NAME=warning or NAME=off")
    }
    guard let rule = Rule(rawValue: parts[0]) else {
      let names = Rule.allCases.map(\.rawValue)
      throw Failure(
        .usage, "there is no rule '\(OutsideText.clean(parts[0], limit: 60))'",
        hint: EditDistance.suggestion(for: parts[0], among: names).map { "did you mean '\($0)'?" }
          ?? "the rules are: \(names.joined(separator: ", "))")
    }
    severities[rule] = severity
  }
}
