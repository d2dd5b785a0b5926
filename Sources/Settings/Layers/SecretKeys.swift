/// Which keys hold a secret: by the catalog, by their looks, or because they refer to one that does.
struct SecretKeys {
  private let expanded: ExpandedLayers
  private let tainted: Set<Int>

  init(_ expanded: ExpandedLayers) {
    self.expanded = expanded
    var users: [Int: [Int]] = [:]
    var found: [Int] = []
    for (user, lookups) in expanded.expander?.lookups ?? [:] {
      for lookup in lookups {
        guard let target = expanded.layers.keys.lookUp(Array(lookup.name.utf8)[...]) else { continue }
        if users[target] == nil, SecretKeys.isSecret(target, in: expanded) { found.append(target) }
        users[target, default: []].append(user)
      }
    }
    var tainted: Set<Int> = []
    while let target = found.popLast() {
      for user in users[target] ?? [] where tainted.insert(user).inserted { found.append(user) }
    }
    self.tainted = tainted
  }

  /// Whether the value of a key must be masked.
  func contains(_ number: Int) -> Bool {
    tainted.contains(number) || SecretKeys.isSecret(number, in: expanded)
  }

  private static func isSecret(_ number: Int, in expanded: ExpandedLayers) -> Bool {
    let value = expanded.value(number) ?? ""
    return expanded.catalog.isSecret(name: expanded.layers.keys.name(number), value: value)
      || swallowsSecret(value, catalog: expanded.catalog)
  }

  /// Whether a value holds the assignment of a secret, because a missing quote or a blank made lines part of it.
  static func swallowsSecret(_ value: String, catalog: Catalog) -> Bool {
    // Also as `NAME: value`, which is no assignment.
    for line in value.utf8.split(separator: Byte.lineFeed) {
      guard let colon = line.firstIndex(of: Byte.colon) else { continue }
      if SecretSigns.isSecret(name: String(Substring(line[..<colon]))) { return true }
    }
    guard value.utf8.contains(Byte.equals) else { return false }
    let lines = EnvDocument.asMeant(Array(value.utf8), dialect: .expo)
    return lines.entries.contains { entry in
      catalog.isSecret(
        name: lines.text.string(entry.key),
        value: String(decoding: entry.bytes(in: lines.text), as: UTF8.self))
    }
  }
}
