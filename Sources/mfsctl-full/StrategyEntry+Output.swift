internal import Basics
internal import StrategyHost

// How a plugin is shown. Texts of its manifest are cleaned and capped where they are read; a path is cleaned here.
extension StrategyCatalogue.Entry {
  /// An item of `strategy list --json`.
  var document: JSONValue { .object(members) }

  /// `strategy show --json`: the same with everything that the manifest says.
  var detailedDocument: JSONValue {
    let origins = (manifest?.origins ?? []).map { ($0.grants, $0.purpose) }
    let stored = (manifest?.vault ?? []).map { ($0.grants, $0.purpose) }
    let provider = (manifest?.provider).map { [(["oidc:setting:\($0.setting)"], $0.purpose)] } ?? []
    let prompt = (manifest?.prompt).map { [(["prompt"], $0)] } ?? []
    let browser = (manifest?.browser).map { [(["browser"], $0)] } ?? []
    let purposes = (origins + provider + stored + prompt + browser).map { grants, purpose -> JSONValue in
      ["grants": .strings(grants), "purpose": .string(purpose)]
    }
    let settings: [JSONValue] = (manifest?.settings ?? []).map {
      ["name": .string($0.name), "required": .bool($0.isRequired)]
    }
    return .object(
      members + [
        .init("summary", .optional(manifest?.summary)), .init("abi", manifest.map { .number($0.abi) } ?? .null),
        .init("interaction", .optional(manifest?.interaction.rawValue)), .init("settings", .array(settings)),
        .init("purposes", .array(purposes)), .init("problems", .strings(problems)),
        .init("trustedBy", isTrusted ? .string(authority.word) : .null),
      ])
  }

  private var members: [JSONValue.Member] {
    [
      .init("name", .string(name.text)), .init("version", .optional(manifest?.version)),
      .init("path", .string(path)), .init("builtin", .bool(isBuiltin)), .init("trusted", .bool(isTrusted)),
      .init("digest", .optional(digest)), .init("operations", .strings((manifest?.operations ?? []).map(\.word))),
      .init("grants", .strings(manifest?.grants ?? [])),
    ]
  }

  /// `strategy show` for people.
  var text: String {
    var rows: [(String, String)] = [("name", name.text)]
    if let manifest {
      rows += [
        ("version", manifest.version), ("summary", manifest.summary),
        ("operations", manifest.operations.map(\.word).joined(separator: ", ")),
        ("asks a person", manifest.prompt.map { "to sign in: \($0)" } ?? "never"),
      ]
      rows += manifest.needs.filter { $0.kind != "prompt" }.map { ($0.kind, $0.text) }
    }
    rows += [
      ("path", OutsideText.clean(path, limit: 400)), ("comes with", isBuiltin ? "mfsctl" : "someone else"),
      ("digest", digest ?? "-"), ("trusted", isTrusted ? authority.text : "no"),
    ]
    rows += problems.map { ("problem", $0) }
    return table(rows)
  }
}

/// Rows of two columns as lines.
func table(_ rows: [(String, String)]) -> String {
  let width = rows.map(\.0.utf8.count).max() ?? 0
  return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.utf8.count + 2) + $0.1 + "\n" }.joined()
}

extension StrategyCatalogue.Authority {
  /// The word for it in JSON.
  var word: String {
    switch self {
    case .lock: "lock"
    case .user: "user"
    case .publisher: "publisher"
    }
  }

  fileprivate var text: String {
    switch self {
    case .lock: "yes"
    case .user: "yes, by you"
    case .publisher(let key): "yes, by you: signed with the publisher's key \(key)"
    }
  }
}

extension StrategyManifest {
  /// Everything it asks for, a line each: what kind, what and why, and the entries of ``scope`` that it stands for.
  var needs: [(kind: String, text: String, scope: [String])] {
    let settings = settings.map {
      (kind: "setting", text: $0.name + ($0.isRequired ? " (required)" : ""), scope: ["setting:\($0.name)"])
    }
    let servers = origins.map { (kind: "server", text: $0.text, scope: $0.grants) }
    let provider = (provider.map { [$0] } ?? []).map {
      (
        kind: "provider", text: "the identity provider of \($0.setting): \($0.purpose)",
        scope: ["oidc:setting:\($0.setting)"]
      )
    }
    let stored = vault.map { (kind: "vault", text: "\($0.verbs) \($0.name): \($0.purpose)", scope: $0.grants) }
    let browser = (browser.map { [$0] } ?? []).map { (kind: "browser", text: $0, scope: ["browser"]) }
    let prompt = (prompt.map { [$0] } ?? []).map { (kind: "prompt", text: $0, scope: ["prompt"]) }
    return settings + servers + provider + stored + browser + prompt
  }
}

extension StrategyManifest.VaultUse {
  /// What is done with the value, e.g. `uses and stores`.
  fileprivate var verbs: String {
    let words: [(Access, String)] = [(.use, "uses"), (.read, "reads"), (.store, "stores")]
    return words.filter { access.contains($0.0) }.map(\.1).joined(separator: " and ")
  }
}
