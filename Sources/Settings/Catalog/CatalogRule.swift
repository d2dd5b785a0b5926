public import YAML

/// A condition on the values of other settings: every term must hold.
public struct SettingCondition: Sendable, Equatable {
  /// A setting and the values of which it must have one.
  public struct Term: Sendable, Equatable {
    /// The setting's name.
    public let key: String
    /// The values that satisfy it.
    public let values: [String]

    /// A term.
    public init(key: String, values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// The terms in order.
  public let terms: [Term]

  /// A condition of these terms.
  public init(_ terms: [Term]) { self.terms = terms }

  /// Whether it holds when `value` says what each setting is; a setting without a value satisfies nothing.
  public func holds(_ value: (String) -> String?) -> Bool {
    terms.allSatisfy { term in value(term.key).map { term.values.contains($0) } ?? false }
  }
}

/// A rule that binds several settings: when one condition holds, another must.
public struct CatalogRule: Sendable, Equatable {
  /// A word to refer to it by.
  public let id: String
  /// When it applies.
  public let when: SettingCondition
  /// What must then hold.
  public let require: SettingCondition
  /// How much breaking it weighs.
  public let severity: Severity
  /// What is wrong when it is broken, as a sentence.
  public let message: String
  /// Where it is declared.
  public let place: YAMLPlace

  /// A rule.
  public init(
    id: String, when: SettingCondition, require: SettingCondition, severity: Severity, message: String,
    place: YAMLPlace = .nowhere
  ) {
    self.id = id
    self.when = when
    self.require = require
    self.severity = severity
    self.message = message
    self.place = place
  }
}
