/// Every setting of an app, as `env/catalog.yaml` and the manifests it includes declare them: types, conditions,
/// cross-field rules, documentation, and the vault's keys. Linting, resolving and the generators all read this.
public struct Catalog: Sendable {
  /// A heading of the documentation that settings stand under.
  public struct Group: Sendable, Equatable {
    /// A word to refer to it by: `[a-z][a-z0-9-]*`.
    public let id: String
    /// The heading.
    public let title: String

    /// A heading.
    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }
  }

  /// The file it was read from, as it was named; for messages.
  public let file: String
  /// The headings in order.
  public let groups: [Group]
  /// The settings in order: the catalog's own, then those of each manifest.
  public let settings: [Setting]
  /// The rules that bind several settings.
  public let rules: [CatalogRule]
  /// The vault's keys.
  public let enclave: [EnclaveKey]
  /// The manifests of strategy plugins whose settings are part of this, as the catalog names them.
  public let includes: [String]

  private let positions: [String: Int]

  /// A catalog of these parts. Of settings with the same name, the first is found by name.
  public init(
    file: String, groups: [Group] = [], settings: [Setting] = [], rules: [CatalogRule] = [],
    enclave: [EnclaveKey] = [], includes: [String] = []
  ) {
    self.file = file
    self.groups = groups
    self.settings = settings
    self.rules = rules
    self.enclave = enclave
    self.includes = includes
    positions = Dictionary(settings.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The setting of a name; nil when the catalog has none.
  public func setting(_ name: String) -> Setting? { positions[name].map { settings[$0] } }

  /// The value that counts for a key in a mode: the one given unless it is empty, else the setting's default; nil when
  /// there is neither. An empty value counts as none, since half of the readers drop it.
  public func effectiveValue(_ name: String, in values: [String: String], mode: String) -> String? {
    if let value = values[name], !value.isEmpty { return value }
    return setting(name)?.defaultValue(in: mode)
  }
}
