public import Basics
internal import Settings

/// Something that is wrong with the configuration, or should not be so.
public struct ConfigurationFinding: Sendable, Equatable {
  /// Whether the server does not start with it.
  public let isError: Bool
  /// The setting that it is about.
  public let key: String
  /// What is wrong, as a sentence without its full stop. It never holds a value: any may be a secret.
  public let message: String
  /// What to do about it.
  public let help: String?
  /// Where the setting stands: `FILE:LINE:COLUMN` or `the environment`; nil when it is set nowhere.
  public let place: String?

  /// The other settings that it follows from.
  let related: [String]

  init(
    _ isError: Bool, _ key: String, _ message: String, _ help: String? = nil, place: String? = nil,
    related: [String] = []
  ) {
    (self.isError, self.key, self.message, self.help, self.place) = (isError, key, message, help, place)
    self.related = related
  }

  /// As a line: `FILE:LINE:COLUMN: error: ...`.
  public var line: String { (place.map { "\($0): " } ?? "") + "\(isError ? "error" : "warning"): \(message)" }

  /// As a member of the document of `config check --json`.
  public var json: JSONValue {
    [
      "severity": .string(isError ? "error" : "warning"), "key": .string(key), "message": .string(message),
      "help": .optional(help), "place": .optional(place),
    ]
  }
}

extension [ConfigurationFinding] {
  /// The settings that have an error.
  var faulty: Set<String> { Set(filter(\.isError).map(\.key)) }

  /// These, and those of others that do not follow from what is wrong already, each once.
  func adding(_ others: [ConfigurationFinding]) -> [ConfigurationFinding] {
    let faulty = faulty
    var all = self
    for one in others where !faulty.contains(one.key) && faulty.isDisjoint(with: one.related) && !all.contains(one) {
      all.append(one)
    }
    return all
  }
}
