internal import Basics
internal import Settings

/// The values of a configuration, each checked by its declaration.
struct ConfigurationValues {
  let findings: [ConfigurationFinding]
  private var values: [String: String]
  private let given: Set<String>
  // Of lists of which an item is wrong, the others.
  private let rest: [String: String]

  init(_ source: ConfigurationSource) {
    let values = source.entries.mapValues(\.value)
    self.values = values
    given = Set(values.filter { !$0.value.isEmpty }.keys)
    // Clear traffic to a private network is no better than to anywhere.
    var findings = BackendCatalog.catalog.problems(in: values, mode: "production").map { problem in
      guard problem.rule != .unknownKey else {
        let likely = problem.related.first.map { "did you mean '\($0)'?" }
        return ConfigurationFinding(
          true, problem.key, "there is no setting \(OutsideText.clean(problem.key, limit: 80))",
          likely ?? "remove it; 'mfs-authd config docs' has the settings")
      }
      let example = BackendCatalog.catalog.settings.first { $0.name == problem.key }?.example
      return ConfigurationFinding(
        problem.severity == .error, problem.key, problem.message,
        problem.help ?? example.map { "write it like \(OutsideText.clean($0, limit: 80))" })
    }
    var rest: [String: String] = [:]
    for setting in BackendCatalog.catalog.settings {
      guard let value = values[setting.name], !value.isEmpty else { continue }
      let check = ValueCheck(setting, value)
      if check.isOfItemsAlone { findings.removeAll { $0.key == setting.name } }
      let known = Set(findings.map(\.key))
      findings += check.findings.filter { check.isList || !known.contains($0.key) }
      rest[setting.name] = check.rest
    }
    self.rest = rest
    let pair = ["TLS_CERTIFICATE", "TLS_KEY"].map { ConfigurationSource.prefix + $0 }
    let given = pair.filter { !(values[$0] ?? "").isEmpty }
    if given.count == 1, let one = given.first, let other = pair.first(where: { $0 != one }) {
      findings.append(
        ConfigurationFinding(
          true, other, "\(other) is not set, and \(one) is: TLS needs both", "set it", related: [one]))
    }
    let shapeless = source.shapeless.faulty
    self.findings = source.shapeless + findings.filter { !shapeless.contains($0.key) }
  }

  /// Leaves settings out, by their whole names: their defaults count, or of a list without one the items that are right.
  mutating func forget(_ names: Set<String>) { for name in names { values[name] = rest[name] } }

  /// Whether a setting has a value, whatever that is, by its name without the prefix.
  func isGiven(_ name: String) -> Bool { given.contains(ConfigurationSource.prefix + name) }

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
