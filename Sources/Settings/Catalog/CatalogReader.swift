internal import Basics
internal import YAML

/// Turns the tree of a catalog file into a ``Catalog``. Here is what makes a file no catalog at all; whether a catalog
/// agrees with itself is ``Catalog/selfCheck()``'s matter.
struct CatalogReader {
  /// Reads a manifest that the catalog includes; nil when the catalog stands in no folder. The second argument makes the
  /// failure for one that leads out of the app's folder.
  let manifest: ((String, () -> Failure) throws(Failure) -> YAMLNode)?

  func catalog(_ root: YAMLNode, file: String) throws(Failure) -> Catalog {
    let fields = try root.fields(
      of: "a catalog", ["version", "groups", "settings", "rules", "enclave", "include"])
    let version = try fields.required("version")
    guard try version.integer() == 1 else {
      throw version.failure("this catalog is of a version that mfsctl does not know", hint: "write version: 1")
    }
    var settings: [Setting] = []
    for node in try fields.required("settings").items() { settings.append(try setting(node)) }
    let includes = try fields.optional("include")?.items() ?? []
    var references: [YAMLNode] = []
    if includes.count > 64 {
      throw includes[64].failure("a catalog includes at most 64 files", hint: "remove some")
    }
    for node in includes { try takeManifest(node, &settings, &references) }
    let catalog = Catalog(
      file: file, groups: try list(fields, "groups", group), settings: settings,
      rules: try list(fields, "rules", rule), enclave: try list(fields, "enclave", enclaveKey),
      includes: try fields.optional("include")?.strings() ?? [])
    for node in references {
      let name = try node.string()
      guard catalog.setting(name) == nil else { continue }
      throw node.failure(
        "no setting is named '\(OutsideText.clean(name, limit: 80))'",
        hint: Hint.meant(name, among: catalog.settings.lazy.map(\.name)) ?? "declare it here or in the catalog")
    }
    return catalog
  }

  private func list<Element>(
    _ fields: YAMLFields, _ name: String, _ read: (YAMLNode) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    var elements: [Element] = []
    for node in try fields.optional(name)?.items() ?? [] { elements.append(try read(node)) }
    return elements
  }

  private func group(_ node: YAMLNode) throws(Failure) -> Catalog.Group {
    let fields = try node.fields(of: "a group", ["id", "title"])
    return Catalog.Group(
      id: try identifier(fields.required("id")), title: try fields.required("title").nonEmptyString())
  }

  private func enclaveKey(_ node: YAMLNode) throws(Failure) -> EnclaveKey {
    let fields = try node.fields(of: "an enclave key", ["name", "type", "writer", "removed-by", "summary"])
    return EnclaveKey(
      name: try fields.required("name").nonEmptyString(), kind: try choice(fields.required("type")),
      writer: try fields.required("writer").nonEmptyString(), removedBy: try choice(fields.required("removed-by")),
      summary: try fields.required("summary").nonEmptyString(), place: node.place)
  }

  private func rule(_ node: YAMLNode) throws(Failure) -> CatalogRule {
    let fields = try node.fields(of: "a rule", ["id", "when", "require", "severity", "message"])
    let severity = try fields.required("severity")
    return CatalogRule(
      id: try identifier(fields.required("id")), when: try condition(fields.required("when")),
      require: try condition(fields.required("require")),
      severity: try severity.word(of: ["error", "warning"]) == "error" ? .error : .warning,
      message: try fields.required("message").nonEmptyString(), place: node.place)
  }

  // A manifest says much that is no concern of a catalog's; of its settings, those without a type are declared
  // elsewhere and only named here.
  private func takeManifest(
    _ node: YAMLNode, _ settings: inout [Setting], _ references: inout [YAMLNode]
  ) throws(Failure) {
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
    for item in try manifest(path, { outside(" by a link") }).anyFields(of: "a manifest").optional("settings")?.items()
      ?? []
    {
      if case .scalar = item.content {
        references.append(item)
        continue
      }
      let fields = try item.anyFields(of: "a manifest's setting")
      if fields.optional("type") == nil {
        references.append(try fields.required("name"))
      } else {
        settings.append(try setting(item))
      }
    }
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
}

/// Next steps for words that are not known.
enum Hint {
  /// "did you mean ...?" when a known word is near.
  static func meant(_ word: String, among known: some Sequence<String>) -> String? {
    EditDistance.suggestion(for: word, among: known).map { "did you mean '\(OutsideText.clean($0, limit: 140))'?" }
  }
}
