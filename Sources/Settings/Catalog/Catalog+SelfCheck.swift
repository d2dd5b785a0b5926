public import Basics
internal import YAML

extension Catalog {
  /// Where a catalog contradicts itself: duplicates, groups and settings that do not exist, defaults and examples that
  /// are no values of their own type, conditions that can never hold. Each failure is ``FailureCode/configuration``
  /// with its place and a next step; none for a sound catalog.
  public func selfCheck() -> [Failure] {
    var check = CatalogSelfCheck(catalog: self)
    check.run()
    return check.failures
  }
}

private struct CatalogSelfCheck {
  let catalog: Catalog
  var failures: [Failure] = []

  mutating func run() {
    duplicates(catalog.groups.map { ($0.id, nil) }, "group")
    duplicates(catalog.settings.map { ($0.name, $0.place) }, "setting")
    duplicates(catalog.rules.map { ($0.id, $0.place) }, "rule")
    duplicates(catalog.enclave.map { ($0.name, $0.place) }, "enclave key")
    for setting in catalog.settings { check(setting) }
    for rule in catalog.rules {
      check(rule.when, of: "the rule \(rule.id)", at: rule.place)
      check(rule.require, of: "the rule \(rule.id)", at: rule.place)
    }
    for key in catalog.enclave { check(key) }
  }

  private mutating func report(_ place: YAMLPlace?, _ message: String, _ hint: String) {
    failures.append((place ?? YAMLPlace(file: catalog.file, line: 1, column: 1)).failure(message, hint: hint))
  }

  private mutating func duplicates(_ names: [(name: String, place: YAMLPlace?)], _ what: String) {
    var seen: Set<String> = []
    for (name, place) in names where !seen.insert(name).inserted {
      report(place, "the \(what) '\(OutsideText.clean(name, limit: 140))' is declared twice", "keep one of them")
    }
  }

  private mutating func check(_ setting: Setting) {
    if !catalog.groups.contains(where: { $0.id == setting.group }) {
      let hint = Hint.meant(setting.group, among: catalog.groups.lazy.map(\.id))
      report(
        setting.place,
        "\(setting.name) stands under a group '\(OutsideText.clean(setting.group, limit: 80))' that does not exist",
        hint ?? "add the group, or name one that exists")
    }
    checkPattern(of: setting)
    check(setting.defaultValue, of: setting, as: "default")
    for mode in setting.modes.keys.sorted() {
      check(setting.modes[mode]?.defaultValue, of: setting, as: "default in the mode \(mode)")
    }
    check(setting.example, of: setting, as: "example")
    for value in setting.discouraged where setting.type.problem(with: value.value) != nil {
      report(setting.place, "\(setting.name) discourages a value that it does not accept", "remove or correct it")
    }
    if let condition = setting.requiredWhen {
      check(condition, of: "the required-when of \(setting.name)", at: setting.place)
      if condition.terms.contains(where: { $0.key == setting.name }) {
        report(setting.place, "\(setting.name) is required depending on itself", "write required: true instead")
      }
    }
    if let use = setting.deprecated?.use, catalog.setting(use) == nil {
      report(
        setting.place, "\(setting.name) is to be replaced by \(use), which is not declared",
        Hint.meant(use, among: catalog.settings.lazy.map(\.name)) ?? "declare it, or leave 'use' out")
    }
  }

  private mutating func checkPattern(of setting: Setting) {
    let pattern: String
    switch setting.type {
    case .pattern(let text): pattern = text
    case .list(let text?, _): pattern = text
    default: return
    }
    do throws(Pattern.Problem) { _ = try Pattern(pattern) } catch {
      report(setting.place, "the pattern of \(setting.name) \(error.phrase)", "correct the pattern")
    }
  }

  private mutating func check(_ value: String?, of setting: Setting, as role: String) {
    guard let value else { return }
    if setting.secret || SecretSigns.kind(of: value) != nil {
      report(setting.place, "the \(role) of \(setting.name) is a secret", "leave it out; a catalog is read by everyone")
    } else if let problem = setting.type.problem(with: value) {
      report(
        setting.place, "the \(role) of \(setting.name) \(problem.phrase)", problem.help ?? "correct the \(role)")
    } else if PortableValue.written(value) == nil {
      report(
        setting.place,
        "the \(role) of \(setting.name) cannot be written so that every reader of env files takes it alike",
        "do without quotes, '$', backslashes, line ends and letters beyond ASCII")
    }
  }

  private mutating func check(_ condition: SettingCondition, of subject: String, at place: YAMLPlace) {
    for term in condition.terms {
      guard let setting = catalog.setting(term.key) else {
        report(
          place, "\(subject) names '\(OutsideText.clean(term.key, limit: 140))', which is not declared",
          Hint.meant(term.key, among: catalog.settings.lazy.map(\.name)) ?? "declare it, or correct the name")
        continue
      }
      for value in term.values {
        guard let problem = setting.type.problem(with: value) else { continue }
        report(
          place, "\(subject) names a value that \(term.key) can never have: it \(problem.phrase)",
          problem.help ?? "correct the value")
      }
    }
  }

  private mutating func check(_ key: EnclaveKey) {
    let shown = OutsideText.clean(key.name, limit: 140)
    guard CatalogSelfCheck.isKeyName(key.name) else {
      report(
        key.place, "'\(shown)' is not the name of a vault key",
        "use 1 to 128 of A-Z a-z 0-9 . _ - and <word> for a part that varies")
      return
    }
    let removal: EnclaveKey.Removal = key.name.hasPrefix("auth.") ? .logout : .wipe
    if key.removedBy != removal {
      report(
        key.place, "'\(shown)' is removed by \(removal.rawValue), not by \(key.removedBy.rawValue)",
        "logout removes auth.* and nothing else; write removed-by: \(removal.rawValue)")
    }
  }

  // A varying part counts as one letter.
  private static func isKeyName(_ name: String) -> Bool {
    var length = 0
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      length += 1
      if byte == 0x3C {
        let word = rest.prefix { (0x61...0x7A).contains($0) }
        rest = rest.dropFirst(word.count)
        guard !word.isEmpty, rest.popFirst() == 0x3E else { return false }
      } else if !(SecretSigns.isTokenByte(byte) || byte == 0x2E) {
        return false
      }
    }
    return (1...128).contains(length)
  }
}
