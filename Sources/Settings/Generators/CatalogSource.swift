/// `BuiltinCatalog.swift`: a catalog as Swift, so that the program has it without reading anything. Places are left out,
/// since the built-in catalog is sound and in no file.
public struct CatalogSource {
  private let catalog: Catalog
  private let name: String
  private let file: String
  private let head: String

  /// The source of a catalog: an enumeration of that name. `file` is where the catalog stands; `isOutside` says that the source
  /// is for a module above this one.
  public init(
    _ catalog: Catalog, name: String = "BuiltinCatalog", file: String = "env/catalog.yaml", isOutside: Bool = false
  ) {
    self.catalog = catalog
    (self.name, self.file) = (name, file)
    head = isOutside ? "internal import Settings\n\n" : ""
  }

  /// The source, ending in a line end. The same catalog always gives the same bytes.
  public var text: String {
    """
    // Made by `make generate` from \(file); changes here are lost.
    // swift-format-ignore-file

    \(head)/// \(file) as values.
    enum \(name) {
      static var groups: [Catalog.Group] {
        \(lines(catalog.groups.map { call("Catalog.Group", [("id", text($0.id)), ("title", text($0.title))]) }))
      }

      static var settings: [Setting] {
        \(lines(catalog.settings.map(setting)))
      }

      static var rules: [CatalogRule] {
        \(lines(catalog.rules.map(rule)))
      }

      static var enclave: [EnclaveKey] {
        \(lines(catalog.enclave.map(enclaveKey)))
      }
    }

    """
  }

  private func setting(_ setting: Setting) -> String {
    var fields = [("name", text(setting.name)), ("group", text(setting.group)), ("type", type(setting.type))]
    if setting.required { fields.append(("required", "true")) }
    if let condition = setting.requiredWhen { fields.append(("requiredWhen", self.condition(condition))) }
    if let value = setting.defaultValue { fields.append(("defaultValue", text(value))) }
    if !setting.modes.isEmpty { fields.append(("modes", modes(setting.modes))) }
    if setting.secret { fields.append(("secret", "true")) }
    fields.append(("summary", text(setting.summary)))
    if !setting.details.isEmpty { fields.append(("details", text(setting.details))) }
    if let example = setting.example { fields.append(("example", text(example))) }
    if let deprecated = setting.deprecated {
      let use = deprecated.use.map { [("use", text($0))] } ?? []
      fields.append(("deprecated", call("Setting.Deprecation", [("since", text(deprecated.since))] + use)))
    }
    if !setting.discouraged.isEmpty {
      let values = setting.discouraged.map {
        call("Setting.DiscouragedValue", [("value", text($0.value)), ("reason", text($0.reason))])
      }
      fields.append(("discouraged", list(values)))
    }
    return call("Setting", fields)
  }

  private func modes(_ modes: [String: Setting.ModeOverride]) -> String {
    let entries = modes.keys.sorted().map { name in
      let mode = modes[name]
      let value = mode?.defaultValue.map { [("defaultValue", text($0))] } ?? []
      let required = mode?.required.map { [("required", "\($0)")] } ?? []
      return "\(text(name)): \(call("Setting.ModeOverride", value + required))"
    }
    return list(entries)
  }

  private func rule(_ rule: CatalogRule) -> String {
    call(
      "CatalogRule",
      [
        ("id", text(rule.id)), ("when", condition(rule.when)), ("require", condition(rule.require)),
        ("severity", ".\(rule.severity)"), ("message", text(rule.message)),
      ])
  }

  private func enclaveKey(_ key: EnclaveKey) -> String {
    call(
      "EnclaveKey",
      [
        ("name", text(key.name)), ("kind", ".\(key.kind)"), ("writer", text(key.writer)),
        ("removedBy", ".\(key.removedBy)"), ("summary", text(key.summary)),
      ])
  }

  private func type(_ type: SettingType) -> String {
    switch type {
    case .string(let limits): ".string(\(self.limits(limits)))"
    case .enumeration(let words): ".enumeration(\(list(words.map(text))))"
    case .bool: ".bool"
    case .integer(let limits): ".integer(\(self.limits(limits)))"
    case .duration(let unit, let limits): ".duration(.\(unit), \(self.limits(limits)))"
    case .url(let rule):
      ".url(URLRule(schemes: \(list(rule.schemes.map(text))), components: \(list(rule.components.map { ".\($0)" }))))"
    case .scopes(let words): ".scopes(containing: \(list(words.map(text))))"
    case .database: ".database"
    case .pattern(let pattern): ".pattern(\(text(pattern)))"
    case .list(let pattern, let limits):
      ".list(itemPattern: \(pattern.map(text) ?? "nil"), \(self.limits(limits)))"
    }
  }

  private func limits(_ limits: ValueLimits) -> String {
    let minimum = limits.minimum.map { [("minimum", "\($0)")] } ?? []
    return call("ValueLimits", minimum + (limits.maximum.map { [("maximum", "\($0)")] } ?? []))
  }

  private func condition(_ condition: SettingCondition) -> String {
    let terms = condition.terms.map {
      call("SettingCondition.Term", [("key", text($0.key)), ("values", list($0.values.map(text)))])
    }
    return "SettingCondition(\(list(terms)))"
  }

  private func call(_ name: String, _ fields: [(label: String, value: String)]) -> String {
    "\(name)(\(fields.map { "\($0.label): \($0.value)" }.joined(separator: ", ")))"
  }

  private func list(_ items: [String]) -> String { "[\(items.joined(separator: ", "))]" }

  private func lines(_ items: [String]) -> String {
    items.isEmpty ? "[]" : "[\n" + items.map { "      \($0),\n" }.joined() + "    ]"
  }

  private func text(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": out += "\\\(scalar)"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      case " "..."~": out.unicodeScalars.append(scalar)
      default: out += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return out + "\""
  }
}
