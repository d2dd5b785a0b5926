internal import Basics

/// How the generators put a setting's type and conditions into words. The texts are plain: a generator escapes them as
/// its own format asks.
struct SettingWords {
  /// How a value or a name is marked in a sentence.
  let quote: (String) -> String

  /// What the values may be: `one of basic, demo`.
  func values(_ type: SettingType) -> String {
    switch type {
    case .string(let limits): "text" + size(limits, "bytes")
    case .enumeration(let words): "one of " + list(words, "or")
    case .bool: "either \(quote("true")) or \(quote("false"))"
    case .integer(let limits): "a whole number" + range(limits)
    case .duration(let unit, let limits): "a whole number of \(unit.rawValue)" + range(limits)
    case .url(let rule):
      "a URL that begins with " + list(rule.schemes.map { "\($0)://" }, "or")
        + (rule.components.count == URLRule.Component.allCases.count
          ? "" : " and has " + Self.join(rule.components.map(\.rawValue), "and") + " only")
    case .scopes(let wanted):
      "scopes separated by single blanks" + (wanted.isEmpty ? "" : ", \(list(wanted)) among them")
    case .database: "the name of a database"
    case .pattern(let pattern): "text that matches \(quote(pattern)) as a whole"
    case .list(let pattern, let limits):
      "items separated by commas" + size(limits, "items") + (pattern.map { ", each matching \(quote($0))" } ?? "")
    }
  }

  /// A condition: `A is x or y, and B is z`.
  func condition(_ condition: SettingCondition) -> String {
    condition.terms.map { "\(quote($0.key)) is \(list($0.values, "or"))" }.joined(separator: ", and ")
  }

  /// When it is required: `yes`, `no`, `when ...`, with what differs by mode.
  func required(_ setting: Setting) -> String {
    var text = setting.required ? "yes" : setting.requiredWhen.map { "when " + condition($0) } ?? "no"
    for mode in setting.modes.keys.sorted() {
      guard let required = setting.modes[mode]?.required, required != setting.required else { continue }
      text += "; in \(mode): \(required ? "yes" : setting.requiredWhen == nil ? "no" : "on that condition")"
    }
    return text
  }

  /// The default, with those of modes; nil when there is none.
  func defaults(_ setting: Setting) -> String? {
    let modes = setting.modes.keys.sorted().compactMap { mode in
      setting.modes[mode]?.defaultValue.map { "in \(mode): \(quote($0))" }
    }
    guard let general = setting.defaultValue else { return modes.isEmpty ? nil : modes.joined(separator: "; ") }
    return ([quote(general)] + modes).joined(separator: "; ")
  }

  private func list(_ words: [String], _ conjunction: String = "and") -> String {
    Self.join(words.map(quote), conjunction)
  }

  private static func join(_ words: [String], _ conjunction: String) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }

  private func range(_ limits: ValueLimits) -> String {
    limits == ValueLimits() ? "" : " " + SettingType.range(limits)
  }

  private func size(_ limits: ValueLimits, _ things: String) -> String {
    limits == ValueLimits() ? "" : ", \(SettingType.range(limits)) \(things)"
  }
}
