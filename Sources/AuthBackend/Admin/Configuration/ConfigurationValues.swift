internal import Basics
internal import Settings

/// The values of a configuration, each checked by its declaration.
struct ConfigurationValues {
  let findings: [ConfigurationFinding]
  private var values: [String: String]
  private let places: [String: String]

  init(_ source: ConfigurationSource) {
    let values = source.entries.mapValues(\.value)
    (self.values, places) = (values, source.entries.mapValues(\.place))
    // Clear traffic to a private network is no better than to anywhere.
    var findings = BackendCatalog.catalog.problems(in: values, mode: "production").map { problem in
      let place = source.entries[problem.key]?.place
      guard problem.rule != .unknownKey else {
        let likely = problem.related.first.map { "did you mean '\($0)'?" }
        return ConfigurationFinding(
          true, problem.key, "there is no setting \(OutsideText.clean(problem.key, limit: 80))",
          likely ?? "remove it; 'mfs-authd config docs' has the settings", place: place)
      }
      let example = BackendCatalog.catalog.settings.first { $0.name == problem.key }?.example
      return ConfigurationFinding(
        problem.severity == .error, problem.key, problem.message,
        problem.help ?? example.map { "write it like \(OutsideText.clean($0, limit: 80))" }, place: place)
    }
    let pair = ["TLS_CERTIFICATE", "TLS_KEY"].map { ConfigurationSource.prefix + $0 }
    let given = pair.filter { !(values[$0] ?? "").isEmpty }
    if given.count == 1, let one = given.first, let other = pair.first(where: { $0 != one }) {
      findings.append(
        ConfigurationFinding(
          true, other, "\(other) is not set, and \(one) is: TLS needs both", "set it", place: places[one]))
    }
    self.findings = findings
  }

  /// Leaves settings out, by their whole names: their defaults count.
  mutating func forget(_ names: Set<String>) { for name in names { values[name] = nil } }

  /// Puts a value in the place of a setting's, by its name without the prefix.
  mutating func put(_ value: String, for name: String) { values[ConfigurationSource.prefix + name] = value }

  /// The value of a setting by its name without the prefix, or its default; nil when there is neither.
  func text(_ name: String) -> String? {
    BackendCatalog.catalog.effectiveValue(ConfigurationSource.prefix + name, in: values, mode: "production")
  }

  /// The value of a setting that is a number and has one: it was checked.
  func number(_ name: String) -> Int64 { text(name).flatMap { Int64($0) } ?? 0 }

  func count(_ name: String) -> Int { Int(clamping: number(name)) }

  /// The items of a list.
  func list(_ name: String) -> [String] { text(name).map { $0.split(separator: ",").map(String.init) } ?? [] }
}
