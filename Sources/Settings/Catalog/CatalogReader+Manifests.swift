internal import Basics
internal import YAML

// The manifests of strategy plugins: what of them concerns a catalog. They are read as text; no code of a plugin is loaded,
// and nothing of the file becomes trusted by it.
extension CatalogReader {
  /// The setting that chooses a strategy.
  static let strategyKey = "EXPO_PUBLIC_AUTH_STRATEGY"

  /// What the manifests that a catalog includes say.
  struct Manifests {
    /// The settings they declare.
    var settings: [Setting] = []
    /// The settings that they only name, with the strategy that needs them; nil for one that does without.
    var references: [(node: YAMLNode, name: String, neededBy: String?)] = []
    /// The names of their strategies.
    var strategies: [String] = []
  }

  func manifests(_ nodes: [YAMLNode]) throws(Failure) -> Manifests {
    if nodes.count > 64 { throw nodes[64].failure("a catalog includes at most 64 files", hint: "remove some") }
    var all = Manifests()
    for node in nodes { try take(try root(of: node), &all) }
    return all
  }

  // A manifest says much that is no concern of a catalog's; of its settings, those without a type are declared
  // elsewhere and only named here.
  private func take(_ root: YAMLNode, _ all: inout Manifests) throws(Failure) {
    let fields = try root.anyFields(of: "a manifest")
    let strategy = try fields.optional("name").map { node throws(Failure) in try strategyName(node, all.strategies) }
    if let strategy { all.strategies.append(strategy) }
    for item in try fields.optional("settings")?.items() ?? [] {
      if case .scalar = item.content {
        all.references.append((item, try item.string(), nil))
        continue
      }
      let own = try item.anyFields(of: "a manifest's setting")
      if own.optional("type") == nil {
        let isNeeded = try own.optional("required")?.bool() ?? false
        let name = try own.required("name")
        all.references.append((name, try name.string(), isNeeded ? strategy : nil))
      } else {
        let setting = try setting(item)
        // What a plugin cannot do without is needed where that plugin is chosen.
        all.settings.append(strategy.map { setting.needed(only: $0) } ?? setting)
      }
    }
  }

  private func strategyName(_ node: YAMLNode, _ known: [String]) throws(Failure) -> String {
    let name = try node.string()
    let shown = OutsideText.clean(name, limit: 60)
    let isGood = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    guard isGood, (1...32).contains(name.utf8.count) else {
      throw node.failure("'\(shown)' is not the name of a strategy", hint: "use 1 to 32 of a-z 0-9 _")
    }
    guard !known.contains(name) else {
      throw node.failure("the strategy '\(shown)' has a manifest already", hint: "include one of the two")
    }
    return name
  }

  private func root(of node: YAMLNode) throws(Failure) -> YAMLNode {
    let path = try node.nonEmptyString()
    guard let manifest else {
      throw node.failure("this catalog stands in no folder, so it cannot include files", hint: "leave include empty")
    }
    func outside(_ how: String) -> Failure {
      node.failure(
        "'\(OutsideText.clean(path, limit: 200))' leads out of the app's folder\(how)",
        hint: "name a file by its path from the catalog's folder; it may begin with one '../'")
    }
    guard CatalogReader.isInside(path) else { throw outside("") }
    return try manifest(path, { outside(" by a link") })
  }

  // The catalog stands in DIR/env, so one step up is the app's folder.
  static func isInside(_ path: String) -> Bool {
    guard !path.hasPrefix("/"), !path.utf8.contains(0) else { return false }
    var depth = 1
    for part in path.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { return false }
    }
    return true
  }

  /// The settings of a catalog with those of its manifests: the strategies can be chosen, and what they need is needed then.
  static func joined(_ own: [Setting], _ manifests: Manifests) -> [Setting] {
    let all = own + manifests.settings
    // Where no strategy can be chosen, none is, and nothing is needed for one.
    guard all.contains(where: { $0.name == strategyKey }) else {
      return own + manifests.settings.map { $0.neededByNone }
    }
    return all.map { setting in
      if setting.name == strategyKey { return setting.allowing(manifests.strategies) }
      return manifests.references.reduce(setting) { setting, reference in
        guard reference.name == setting.name, let strategy = reference.neededBy else { return setting }
        return setting.needed(by: strategy)
      }
    }
  }
}

extension Setting {
  /// With more words to choose from, when it is an enumeration.
  fileprivate func allowing(_ words: [String]) -> Setting {
    guard case .enumeration(let known) = type else { return self }
    return changed(type: .enumeration(known + words.filter { !known.contains($0) }))
  }

  /// Required where a strategy is chosen, if it was required at all.
  fileprivate func needed(only strategy: String) -> Setting {
    guard required, requiredWhen == nil else { return self }
    return changed(required: false, requiredWhen: Setting.chosen([strategy]))
  }

  /// Required where a strategy is chosen as well. A condition on anything else stays as it is: the plugin says itself what
  /// it lacks then.
  fileprivate func needed(by strategy: String) -> Setting {
    guard !required else { return self }
    guard let condition = requiredWhen else { return changed(requiredWhen: Setting.chosen([strategy])) }
    guard condition.terms.count == 1, let term = condition.terms.first, term.key == CatalogReader.strategyKey,
      !term.values.contains(strategy)
    else { return self }
    return changed(requiredWhen: Setting.chosen(term.values + [strategy]))
  }

  /// Required nowhere, if it was where a strategy is chosen.
  fileprivate var neededByNone: Setting {
    guard requiredWhen?.terms.contains(where: { $0.key == CatalogReader.strategyKey }) == true else { return self }
    return Setting(
      name: name, group: group, type: type, required: false, requiredWhen: nil, defaultValue: defaultValue,
      modes: modes, secret: secret, summary: summary, details: details, example: example, deprecated: deprecated,
      discouraged: discouraged, place: place)
  }

  private static func chosen(_ strategies: [String]) -> SettingCondition {
    SettingCondition([.init(key: CatalogReader.strategyKey, values: strategies)])
  }

  private func changed(
    type: SettingType? = nil, required: Bool? = nil, requiredWhen: SettingCondition? = nil
  ) -> Setting {
    Setting(
      name: name, group: group, type: type ?? self.type, required: required ?? self.required,
      requiredWhen: requiredWhen ?? self.requiredWhen, defaultValue: defaultValue, modes: modes, secret: secret,
      summary: summary, details: details, example: example, deprecated: deprecated, discouraged: discouraged,
      place: place)
  }
}
