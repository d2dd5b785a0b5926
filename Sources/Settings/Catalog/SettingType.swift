/// What the values of a setting may be. ``SettingType/problem(with:)`` says what is wrong with one.
public enum SettingType: Sendable, Equatable {
  /// `string`: any text of a length, in bytes, within limits.
  case string(ValueLimits)
  /// `enum`: one of these words; case counts.
  case enumeration([String])
  /// `bool`: `true` or `false`, which is all that the app compares with.
  case bool
  /// `integer`: a whole number in decimal within limits.
  case integer(ValueLimits)
  /// `duration`: a whole number of a unit within limits.
  case duration(DurationUnit, ValueLimits)
  /// `url`: an absolute URL with an authority (RFC 3986).
  case url(URLRule)
  /// `scopes`: OAuth scopes separated by single blanks (RFC 6749, 3.3); those given must be among them.
  case scopes(containing: [String])
  /// `database`: the name of a Sync Gateway database.
  case database
  /// `pattern`: text that matches a pattern as a whole.
  case pattern(String)
  /// `list`: items separated by commas, each once, each matching a pattern if there is one.
  case list(itemPattern: String?, ValueLimits)

  /// The word that catalogs and documentation use for it.
  public var word: String {
    switch self {
    case .string: "string"
    case .enumeration: "enum"
    case .bool: "bool"
    case .integer: "integer"
    case .duration: "duration"
    case .url: "url"
    case .scopes: "scopes"
    case .database: "database"
    case .pattern: "pattern"
    case .list: "list"
    }
  }
}

/// The least and the greatest a number, a length or a count may be; both are allowed values.
public struct ValueLimits: Sendable, Equatable {
  /// The least; nil for no limit.
  public let minimum: Int64?
  /// The greatest; nil for no limit.
  public let maximum: Int64?

  /// Limits.
  public init(minimum: Int64? = nil, maximum: Int64? = nil) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Whether a number is within them.
  public func contains(_ number: Int64) -> Bool {
    number >= minimum ?? .min && number <= maximum ?? .max
  }
}

/// What a duration is counted in.
public enum DurationUnit: String, Sendable, CaseIterable {
  /// Thousandths of a second.
  case milliseconds
  /// Seconds.
  case seconds
  /// Minutes.
  case minutes
  /// Hours.
  case hours
}

/// Which URLs a setting takes.
public struct URLRule: Sendable, Equatable {
  /// A part of a URL that a setting may have. User information is never one of them: it is a credential.
  public enum Component: String, Sendable, CaseIterable {
    /// `https:`; always there.
    case scheme
    /// The host; always there.
    case host
    /// `:4984`
    case port
    /// `/path`, a single `/` included.
    case path
    /// `?query`
    case query
    /// `#fragment`
    case fragment
  }

  /// The schemes in lower case.
  public let schemes: [String]
  /// The parts it may have.
  public let components: [Component]

  /// Which URLs a setting takes.
  public init(schemes: [String], components: [Component] = Component.allCases) {
    self.schemes = schemes
    self.components = components
  }
}
