/// `docs/SETTINGS.md`: everything that a catalog says, as Markdown.
public struct SettingsDocument {
  /// What stands above the settings.
  public struct Head: Sendable {
    /// The command that makes the document.
    public let command: String
    /// Its title.
    public let title: String
    /// What there is to say of all of them.
    public let text: String

    /// What stands above the settings.
    public init(command: String, title: String, text: String) {
      (self.command, self.title, self.text) = (command, title, text)
    }

    /// The app's.
    public static let app = Head(
      command: "mfsctl env docs --write", title: "Settings",
      text: """
        The app reads its settings when it is built, from env files and the environment. `mfsctl env lint` checks them
        against what stands here. An empty value counts as none.
        """)
  }

  private let catalog: Catalog
  private let head: Head

  /// The document of a catalog.
  public init(_ catalog: Catalog, head: Head = .app) {
    self.catalog = catalog
    self.head = head
  }

  /// The document, ending in a line end. The same catalog always gives the same bytes.
  public var text: String {
    var out = """
      <!-- Made by `\(head.command)` from the catalog of settings; changes here are lost. -->

      # \(head.title)

      \(head.text)


      """
    for group in catalog.groups { section(group, into: &out) }
    rules(into: &out)
    enclave(into: &out)
    while out.hasSuffix("\n\n") { out.removeLast() }
    return out
  }

  private func section(_ group: Catalog.Group, into out: inout String) {
    out += "## \(Markdown.prose(group.title))\n\n"
    let settings = catalog.settings.filter { $0.group == group.id }
    guard !settings.isEmpty else {
      out += "No settings are declared here.\n\n"
      return
    }
    let words = SettingWords { Markdown.code($0, inTable: true) }
    out += Markdown.head(["Setting", "Type", "Required", "Default", "For"])
    for setting in settings {
      let name = "[\(Markdown.code(setting.name))](#\(setting.name.lowercased()))"
      out += Markdown.row([
        name, setting.type.word, words.required(setting), words.defaults(setting) ?? "none",
        Markdown.prose(setting.summary, inTable: true),
      ])
    }
    out += "\n"
    for setting in settings { entry(setting, into: &out) }
  }

  private func entry(_ setting: Setting, into out: inout String) {
    let words = SettingWords { Markdown.code($0) }
    out += "### \(Markdown.prose(setting.name))\n\n\(Markdown.prose(setting.summary))\n\n"
    for paragraph in Markdown.paragraphs(setting.details) { out += Markdown.prose(paragraph) + "\n\n" }
    out += "- Values: \(words.values(setting.type)).\n"
    out += "- Required: \(words.required(setting)).\n"
    out += "- Default: \(words.defaults(setting) ?? "none").\n"
    if let example = setting.example { out += "- Example: \(Markdown.code(example))\n" }
    for value in setting.discouraged {
      out += "- Discouraged: \(Markdown.code(value.value)), because \(Markdown.prose(value.reason)).\n"
    }
    if let deprecated = setting.deprecated {
      out += "- Deprecated since \(Markdown.code(deprecated.since))"
      out += deprecated.use.map { "; set \(Markdown.code($0)) instead.\n" } ?? ".\n"
    }
    if setting.secret {
      out +=
        "- Secret: its value is masked in output\(head.title == Head.app.title ? " and must not reach the app's bundle" : "").\n"
    }
    out += "\n"
  }

  private func rules(into out: inout String) {
    guard !catalog.rules.isEmpty else { return }
    let words = SettingWords { Markdown.code($0, inTable: true) }
    out += "## Rules\n\n" + Markdown.head(["Rule", "When", "Then", "Severity", "Otherwise"])
    for rule in catalog.rules {
      out += Markdown.row([
        Markdown.code(rule.id), words.condition(rule.when), words.condition(rule.require), rule.severity.rawValue,
        Markdown.prose(rule.message, inTable: true),
      ])
    }
    out += "\n"
  }

  private func enclave(into out: inout String) {
    guard !catalog.enclave.isEmpty else { return }
    out += """
      ## Vault keys

      What stands in the vault, never in an env file. `mfsctl vault logout` removes the keys that say so and keeps the
      rest; `mfsctl vault logout --wipe` removes all.


      """
    out += Markdown.head(["Key", "Type", "Written by", "Removed by", "For"])
    for key in catalog.enclave {
      out += Markdown.row([
        Markdown.code(key.name, inTable: true), key.kind.rawValue, Markdown.prose(key.writer, inTable: true),
        key.removedBy.rawValue, Markdown.prose(key.summary, inTable: true),
      ])
    }
    out += "\n"
  }
}
