/// How much a finding weighs.
public enum Severity: String, Sendable, CaseIterable {
  /// The app would read something else than was meant, or nothing.
  case error
  /// It works here and now.
  case warning
  /// Not reported.
  case off
}

/// What a linter looks for. The raw value is the name in output and in options.
public enum Rule: String, Sendable, CaseIterable {
  /// A line that is neither a comment nor `KEY=VALUE`.
  case syntax
  /// A value whose opening quote is never closed on its line.
  case unterminatedQuote = "unterminated-quote"
  /// `KEY=` followed by a blank: Node 22 and 24 take the next line as the value.
  case blankAfterEquals = "blank-after-equals"
  /// A reference to a name that is set nowhere.
  case unresolvedReference = "unresolved-reference"
  /// Keys that refer to each other in a circle: the Expo command crashes.
  case referenceCycle = "reference-cycle"
  /// A key that a file sets twice.
  case duplicateKey = "duplicate-key"
  /// A key that no catalog declares.
  case unknownKey = "unknown-key"
  /// A required setting without a value.
  case missingRequired = "missing-required"
  /// A value that is not of its setting's type.
  case invalidValue = "invalid-value"
  /// A secret under `EXPO_PUBLIC_`, which ends up readable in the app.
  case secretInPublic = "secret-in-public"
  /// A URL whose traffic others can read.
  case insecureURL = "insecure-url"
  /// A value that works and should not be chosen.
  case discouraged
  /// A key that should no longer be set.
  case deprecatedKey = "deprecated-key"
  /// Settings that contradict each other.
  case inconsistent
  /// A file that a layer names and that cannot be read.
  case unreadableFile = "unreadable-file"
  /// A file that is not UTF-8 text.
  case encoding

  /// The severity when nobody says otherwise.
  public var defaultSeverity: Severity {
    switch self {
    case .duplicateKey, .discouraged, .deprecatedKey: .warning
    default: .error
    }
  }
}
