internal import Basics

extension Catalog {
  /// What is wrong with the settings in a mode (`development`, `production`, `test` or another name).
  ///
  /// `values` are the resolved values of every key that a file sets, declared or not, and of the declared keys that
  /// the process environment sets; without the catalog's defaults, which count by themselves. Empty values count as
  /// none. The problems come in a fixed order: the catalog's settings, undeclared keys by name, the rules.
  public func problems(in values: [String: String], mode: String) -> [CatalogProblem] {
    var problems = settingProblems(in: values, mode: mode)
    var suggestions = Suggestions(self)
    for key in values.keys.sorted() where setting(key) == nil {
      problems += undeclaredProblems(of: key, value: values[key] ?? "", &suggestions)
    }
    return problems + ruleProblems(in: values, mode: mode)
  }

  /// What is wrong with the declared settings, each by itself.
  func settingProblems(in values: [String: String], mode: String) -> [CatalogProblem] {
    var problems: [CatalogProblem] = []
    for setting in settings {
      if let problem = missingProblem(of: setting, in: values, mode: mode) { problems.append(problem) }
      guard let value = values[setting.name] else { continue }
      if let problem = deprecationProblem(of: setting) { problems.append(problem) }
      if let problem = publicSecretProblem(of: setting.name, value: value) { problems.append(problem) }
      if !value.isEmpty { problems += valueProblems(of: setting, value: value, mode: mode) }
    }
    return problems
  }

  /// What is wrong with a key that is not declared.
  func undeclaredProblems(of key: String, value: String, _ suggestions: inout Suggestions) -> [CatalogProblem] {
    let unknown = unknownKeyProblem(of: key, &suggestions)
    return [unknown] + (publicSecretProblem(of: key, value: value).map { [$0] } ?? [])
  }

  /// Which settings contradict each other.
  func ruleProblems(in values: [String: String], mode: String) -> [CatalogProblem] {
    rules.compactMap { brokenProblem(of: $0, in: values, mode: mode) }
  }

  /// Whether a setting is required with these values in a mode.
  public func isRequired(_ setting: Setting, in values: [String: String], mode: String) -> Bool {
    setting.isRequired(in: mode)
      || setting.requiredWhen?.holds { effectiveValue($0, in: values, mode: mode) } ?? false
  }

  private func missingProblem(of setting: Setting, in values: [String: String], mode: String) -> CatalogProblem? {
    guard effectiveValue(setting.name, in: values, mode: mode) == nil,
      isRequired(setting, in: values, mode: mode)
    else { return nil }
    let conditions = setting.isRequired(in: mode) ? [] : setting.requiredWhen?.terms.map(\.key) ?? []
    let state = values[setting.name] == nil ? "not set" : "empty"
    let because = conditions.isEmpty ? "" : " by the value of \(conditions.joined(separator: " and "))"
    return CatalogProblem(
      .missingRequired, key: setting.name, related: conditions,
      message: "\(setting.name) is required\(because) and is \(state)",
      help: setting.example.map { "set it, for example to \(OutsideText.clean($0, limit: 80))" } ?? "set it")
  }

  private func unknownKeyProblem(of key: String, _ suggestions: inout Suggestions) -> CatalogProblem {
    let likely = suggestions.setting(like: key)
    return CatalogProblem(
      .unknownKey, severity: key.hasPrefix("EXPO_PUBLIC_") ? .error : .warning, key: key,
      related: likely.map { [$0] } ?? [], message: "no catalog declares \(KeyText.shown(key))",
      help: likely.map { "did you mean '\($0)'?" } ?? "declare it in the catalog, or remove it")
  }

  private func deprecationProblem(of setting: Setting) -> CatalogProblem? {
    guard let deprecated = setting.deprecated else { return nil }
    return CatalogProblem(
      .deprecatedKey, key: setting.name, related: deprecated.use.map { [$0] } ?? [],
      message: "\(setting.name) is deprecated since \(OutsideText.clean(deprecated.since, limit: 40))",
      help: deprecated.use.map { "set \($0) instead" } ?? "remove it")
  }

  private func valueProblems(of setting: Setting, value: String, mode: String) -> [CatalogProblem] {
    if let problem = setting.type.problem(with: value) {
      return [
        CatalogProblem(
          .invalidValue, key: setting.name, message: "\(setting.name) \(problem.phrase)", help: problem.help)
      ]
    }
    var problems: [CatalogProblem] = []
    if case .url(let rule) = setting.type,
      let problem = clearTrafficProblem(of: setting.name, value: value, rule: rule, mode: mode)
    {
      problems.append(problem)
    }
    if let discouraged = setting.discouraged.first(where: { $0.value == value }) {
      problems.append(
        CatalogProblem(
          .discouraged, key: setting.name, message: "\(setting.name) has a value that is discouraged",
          help: OutsideText.clean(discouraged.reason, limit: 400)))
    }
    return problems
  }

  private func clearTrafficProblem(
    of name: String, value: String, rule: URLRule, mode: String
  ) -> CatalogProblem? {
    guard case .success(let url) = URLReference.parse(value), url.isClear else { return nil }
    let exposure = url.exposure
    guard exposure != .thisMachine else { return nil }
    let isPrivate = exposure == .privateNetwork
    let readers = isPrivate ? "everyone on its network" : "everyone on the way"
    let secure = url.scheme == "ws" ? "wss" : "https"
    return CatalogProblem(
      .insecureURL, severity: isPrivate && mode != "production" ? .warning : .error, key: name,
      message: "\(name) uses \(url.scheme)://, so that \(readers) can read what is sent",
      help: rule.schemes.contains(secure)
        ? "use \(secure)://" : "use a host on this machine, or let the catalog accept \(secure)")
  }

  private func brokenProblem(of rule: CatalogRule, in values: [String: String], mode: String) -> CatalogProblem? {
    let value = { (key: String) in self.effectiveValue(key, in: values, mode: mode) }
    guard rule.when.holds(value), !rule.require.holds(value) else { return nil }
    let keys = (rule.when.terms + rule.require.terms).map(\.key)
    // A key that is set somewhere can be pointed at; one that has its default cannot.
    let key = keys.first { values[$0] != nil } ?? keys.first ?? ""
    var message = OutsideText.clean(rule.message, limit: 400)
    if message.hasSuffix(".") { message.removeLast() }
    let wanted = rule.require.terms.map { term in
      "\(term.key) to \(term.values.map { OutsideText.clean($0, limit: 80) }.joined(separator: " or "))"
    }
    return CatalogProblem(
      .inconsistent, severity: rule.severity, key: key, related: keys.filter { $0 != key }, message: message,
      help: "set \(wanted.joined(separator: " and "))")
  }
}
