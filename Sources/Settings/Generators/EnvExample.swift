internal import Basics

/// `env/.env.example`: every setting with what it is for, and values that a first build works with. Values are written
/// so that every reader of env files takes them alike.
public struct EnvExample {
  private let catalog: Catalog
  private let values: [String: String]

  /// The example of a catalog.
  public init(_ catalog: Catalog) {
    self.catalog = catalog
    var values: [String: String] = [:]
    for setting in catalog.settings { values[setting.name] = EnvExample.value(of: setting) }
    self.values = values
  }

  /// The file, ending in a line end. The same catalog always gives the same bytes.
  public var text: String {
    var out = """
      # Settings to begin with: copy this file to .env and change what is yours.
      # Made by `mfsctl env example --write` from the catalog of settings; changes here are lost.


      """
    for group in catalog.groups {
      let settings = catalog.settings.filter { $0.group == group.id }
      guard !settings.isEmpty else { continue }
      comment("--- \(group.title) ---", into: &out)
      out += "\n"
      for setting in settings { entry(setting, into: &out) }
    }
    while out.hasSuffix("\n\n") { out.removeLast() }
    return out
  }

  private static func value(of setting: Setting) -> String? {
    setting.secret ? nil : setting.example ?? setting.defaultValue(in: "development")
  }

  private func entry(_ setting: Setting, into out: inout String) {
    let words = SettingWords { $0 }
    comment(setting.summary, into: &out)
    var facts = words.values(setting.type)
    if let first = facts.first { facts = first.uppercased() + facts.dropFirst() }
    if let defaults = words.defaults(setting) { facts += "; default \(defaults)" }
    comment(facts + ".", into: &out)
    let required = words.required(setting)
    if required != "no" { comment("Required: \(required).", into: &out) }
    if setting.secret { comment("A secret: never in a file that others can read.", into: &out) }
    if let deprecated = setting.deprecated {
      let instead = deprecated.use.map { "; set \($0) instead" } ?? ""
      comment("Deprecated since \(deprecated.since)\(instead).", into: &out)
    }
    // What this example needs stands there; the rest waits for its '#' to be removed.
    let written = values[setting.name].flatMap(PortableValue.written)
    let isLive =
      written != nil && setting.deprecated == nil
      && (setting.defaultValue(in: "development") != nil
        || catalog.isRequired(setting, in: values, mode: "development"))
    out += "\(isLive ? "" : "#")\(setting.name)=\(written ?? "")\n\n"
  }

  // Comment lines of at most 100 columns. Nothing in the text can end its line.
  private func comment(_ text: String, into out: inout String) {
    let words = OutsideText.clean(text.split(whereSeparator: \.isNewline).joined(separator: " "), limit: 1000)
    var line = "#"
    for word in words.split(separator: " ") {
      if line.count > 1, line.count + 1 + word.count > 100 {
        out += line + "\n"
        line = "#"
      }
      line += " " + word
    }
    out += line + "\n"
  }
}
