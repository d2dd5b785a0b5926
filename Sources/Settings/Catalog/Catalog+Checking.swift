internal import Basics

extension Catalog {
  /// What is wrong with the settings in a mode (`development`, `production`, `test` or another name).
  ///
  /// `values` are the resolved values of every key that a file sets, declared or not, and of the declared keys that
  /// the process environment sets; without the catalog's defaults, which count by themselves. Empty values count as
  /// none. The problems come in a fixed order: the catalog's settings, undeclared keys by name, the rules.
  public func problems(in values: [String: String], mode: String) -> [CatalogProblem] {
    var problems: [CatalogProblem] = []
    for setting in settings {
      if let problem = missingProblem(of: setting, in: values, mode: mode) { problems.append(problem) }
    }
    for key in values.keys.sorted() where setting(key) == nil { problems.append(unknownKeyProblem(of: key)) }
    return problems
  }

  /// Whether a setting is required with these values in a mode.
  public func isRequired(_ setting: Setting, in values: [String: String], mode: String) -> Bool {
    setting.isRequired(in: mode)
      || setting.requiredWhen?.holds { effectiveValue($0, in: values, mode: mode) } ?? false
  }

  func missingProblem(of setting: Setting, in values: [String: String], mode: String) -> CatalogProblem? {
    guard effectiveValue(setting.name, in: values, mode: mode) == nil,
      isRequired(setting, in: values, mode: mode)
    else { return nil }
    let state = values[setting.name] == nil ? "is not set" : "is empty"
    return CatalogProblem(
      .missingRequired, key: setting.name, related: setting.requiredWhen?.terms.map(\.key) ?? [],
      message: "\(setting.name) is required and \(state)",
      help: setting.example.map { "set it, for example to \(OutsideText.clean($0, limit: 80))" })
  }

  func unknownKeyProblem(of key: String) -> CatalogProblem {
    let suggestion = EditDistance.suggestion(for: key, among: settings.lazy.map(\.name))
    return CatalogProblem(
      .unknownKey, severity: key.hasPrefix("EXPO_PUBLIC_") ? .error : .warning, key: key,
      message: "no catalog declares \(OutsideText.clean(key, limit: 140))",
      help: suggestion.map { "did you mean \($0)?" } ?? "declare it in the catalog, or remove it")
  }
}
