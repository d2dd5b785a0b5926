public import YAML

/// One declared key: what its values may be, when it is needed, and what is said about it.
public struct Setting: Sendable {
  /// What differs in one mode.
  public struct ModeOverride: Sendable, Equatable {
    /// The default in this mode; nil when the general one counts.
    public let defaultValue: String?
    /// Whether it is required in this mode; nil when the general word counts.
    public let required: Bool?

    /// What differs in one mode.
    public init(defaultValue: String? = nil, required: Bool? = nil) {
      self.defaultValue = defaultValue
      self.required = required
    }
  }

  /// A key that should no longer be set.
  public struct Deprecation: Sendable, Equatable {
    /// Since which version of the app.
    public let since: String
    /// The key to set instead; nil when there is none.
    public let use: String?

    /// A deprecation.
    public init(since: String, use: String? = nil) {
      self.since = since
      self.use = use
    }
  }

  /// A value that works and should not be chosen.
  public struct DiscouragedValue: Sendable, Equatable {
    /// The value.
    public let value: String
    /// Why not.
    public let reason: String

    /// A discouraged value.
    public init(value: String, reason: String) {
      self.value = value
      self.reason = reason
    }
  }

  /// The key: `[A-Za-z_][A-Za-z0-9_]*`, at most 128 long.
  public let name: String
  /// The id of the group it stands under.
  public let group: String
  /// What its values may be.
  public let type: SettingType
  /// Whether it is required, whatever the others say.
  public let required: Bool
  /// When it is required besides; nil for never.
  public let requiredWhen: SettingCondition?
  /// The value when none is given; nil for none. A mode may have its own: ``defaultValue(in:)``.
  public let defaultValue: String?
  /// What differs by mode.
  public let modes: [String: ModeOverride]
  /// Whether its value is a secret: masked in output, and never under `EXPO_PUBLIC_`.
  public let secret: Bool
  /// One line on what it is for.
  public let summary: String
  /// Paragraphs, separated by an empty line; empty for none.
  public let details: String
  /// A value to show, which `env example` writes.
  public let example: String?
  /// Why and since when it should no longer be set; nil when it may be.
  public let deprecated: Deprecation?
  /// Values that work and should not be chosen.
  public let discouraged: [DiscouragedValue]
  /// Where it is declared.
  public let place: YAMLPlace

  /// A setting.
  public init(
    name: String, group: String, type: SettingType, required: Bool = false, requiredWhen: SettingCondition? = nil,
    defaultValue: String? = nil, modes: [String: ModeOverride] = [:], secret: Bool = false, summary: String,
    details: String = "", example: String? = nil, deprecated: Deprecation? = nil,
    discouraged: [DiscouragedValue] = [], place: YAMLPlace = .nowhere
  ) {
    self.name = name
    self.group = group
    self.type = type
    self.required = required
    self.requiredWhen = requiredWhen
    self.defaultValue = defaultValue
    self.modes = modes
    self.secret = secret
    self.summary = summary
    self.details = details
    self.example = example
    self.deprecated = deprecated
    self.discouraged = discouraged
    self.place = place
  }

  /// The default in a mode; nil for none.
  public func defaultValue(in mode: String) -> String? { modes[mode]?.defaultValue ?? defaultValue }

  /// Whether it is required in a mode, leaving conditions on other settings aside.
  public func isRequired(in mode: String) -> Bool { modes[mode]?.required ?? required }
}
