/// Something that a catalog says against the values of the settings. It knows keys, not files: whoever read the files
/// knows where each key stands.
public struct CatalogProblem: Sendable, Hashable {
  /// What was looked for.
  public let rule: Rule
  /// How much it weighs, before options and comments have their say.
  public let severity: Severity
  /// The key to point at. For ``Rule/missingRequired`` it may be set nowhere.
  public let key: String
  /// The other keys that are part of it, in order; for ``Rule/unknownKey`` the one that is probably meant.
  public let related: [String]
  /// What is wrong, as a sentence without its full stop. Never holds a value, since any value may turn out a secret.
  public let message: String
  /// What to do about it; nil when the message says it.
  public let help: String?

  /// A problem; its severity is the rule's unless another is given.
  public init(
    _ rule: Rule, severity: Severity? = nil, key: String, related: [String] = [], message: String, help: String? = nil
  ) {
    self.rule = rule
    self.severity = severity ?? rule.defaultSeverity
    self.key = key
    self.related = related
    self.message = message
    self.help = help
  }
}
