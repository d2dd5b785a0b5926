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
    let slot = expanded.layers.winners[number]
    if expanded.layers.processValue(number) == nil, let (_, entry) = expanded.layers.entry(slot),
      expanded.secrets[slot.file]?.hides(entry) ?? false
    {
      return true
    }
    return expanded.catalog.isSecret(name: expanded.layers.keys.name(number), value: value)
      || swallowsSecret(value, catalog: expanded.catalog)
  }

  /// Whether a value holds the assignment of a secret, because a missing quote or a blank made lines part of it.
  static func swallowsSecret(_ value: String, catalog: Catalog) -> Bool {
    let bytes = Array(value.utf8)
    // Lines may have lost their ends, and `NAME: value` is no assignment, so any name before such a sign counts.
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == Byte.equals || byte == Byte.colon {
      var end = index
      while end > start, Byte.isBlank(bytes[end - 1]) { end -= 1 }
      var name = end
      while name > start, Byte.isWord(bytes[name - 1]) || bytes[name - 1] == Byte.dot || bytes[name - 1] == Byte.hyphen
      {
        name -= 1
      }
      if name < end, catalog.isSecret(name: String(decoding: bytes[name..<end], as: UTF8.self), value: "") {
        return true
      }
      start = index + 1
    }
    guard bytes.contains(Byte.equals) else { return false }
    let lines = EnvDocument.asMeant(bytes, dialect: .expo)
    return lines.entries.contains { entry in
      catalog.isSecret(
        name: lines.text.string(entry.key),
        value: String(decoding: entry.bytes(in: lines.text), as: UTF8.self))
    }
  }
}
