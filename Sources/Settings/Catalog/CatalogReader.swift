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
    var own: [Setting] = []
    for node in try fields.required("settings").items() { own.append(try setting(node)) }
    let manifests = try manifests(try fields.optional("include")?.items() ?? [])
    let catalog = Catalog(
      file: file, groups: try list(fields, "groups", group), settings: CatalogReader.joined(own, manifests),
      rules: try list(fields, "rules", rule), enclave: try list(fields, "enclave", enclaveKey),
      includes: try fields.optional("include")?.strings() ?? [])
    for (node, name, _) in manifests.references {
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
}

/// Next steps for words that are not known.
enum Hint {
  /// "did you mean ...?" when a known word is near.
  static func meant(_ word: String, among known: some Sequence<String>) -> String? {
    EditDistance.suggestion(for: word, among: known).map { "did you mean '\(OutsideText.clean($0, limit: 140))'?" }
  }
}
