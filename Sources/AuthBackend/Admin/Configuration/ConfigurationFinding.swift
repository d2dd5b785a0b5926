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

  /// Those that would not be there, or may not, if these settings had values that can be used, left out.
  func following(fromNone unusable: Set<String>) -> [ConfigurationFinding] {
    filter { unusable.isDisjoint(with: [$0.key] + $0.related) }
  }

  /// Each once, with the place of its setting, or else of the first setting that it follows from and that stands somewhere. They are in
  /// the order of the file; then come those of the environment, and those of settings that stand nowhere.
  func placed(by entries: [String: ConfigurationSource.Entry]) -> [ConfigurationFinding] {
    var seen: [ConfigurationFinding] = []
    for one in self where !seen.contains(one) { seen.append(one) }
    let found = seen.map { one in
      (one, ([one.key] + one.related).lazy.compactMap { entries[$0]?.place }.first)
    }
    return found.enumerated().sorted { a, b in
      switch (a.element.1, b.element.1) {
      case (let one?, let other?): one == other ? a.offset < b.offset : one < other
      case (.some, nil): true
      case (nil, .some): false
      case (nil, nil): a.offset < b.offset
      }
    }.map { pair in
      let one = pair.element.0
      return ConfigurationFinding(
        one.isError, one.key, one.message, one.help, place: pair.element.1?.text, related: one.related)
    }
  }
}
