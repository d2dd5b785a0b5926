internal import Basics

extension LintPass {
  /// No more lost references of one value are reported; who has that many has one mistake.
  private static let referencesPerKey = 20

  /// References that lead nowhere, and those that lead in a circle.
  mutating func checkReferences(_ expanded: ExpandedLayers) {
    guard let expander = expanded.expander else { return }
    checkCycles(expanded, expander)
    guard !isOff(.unresolvedReference) else { return }
    for number in expander.lookups.keys.sorted() where !expander.broken.contains(number) {
      let slot = expanded.layers.winners[number]
      guard let (document, entry) = expanded.layers.entry(slot) else { continue }
      let name = expanded.layers.keys.name(number)
      let lost = (expander.lookups[number] ?? []).lazy.filter { $0.outcome == .unset || $0.outcome == .itself }
      for lookup in lost.prefix(LintPass.referencesPerKey) {
        let value = document.text.string(entry.value)
        let isSecret =
          expanded.secrets[slot.file]?.hides(entry) ?? true || catalog.isSecret(name: name, value: value)
          || SecretKeys.swallowsSecret(value, catalog: catalog)
        // Part of a password with a `$` in it looks like a name.
        let shown = isSecret ? "a name that" : "\(KeyText.shown(lookup.name)), which"
        let key = expanded.shownName(number)
        let unset =
          options.environment.variables.isEmpty
          ? "\(key) refers to \(shown) no file sets" : "\(key) refers to \(shown) nobody sets"
        report(
          .unresolvedReference, file: expanded.layers.files[Int(slot.file)].name,
          range: document.text.place(place(lookup, entry)), key: key,
          message: lookup.outcome == .itself ? "\(key) refers to itself, which gives nothing" : unset,
          help: "it is replaced by nothing; set it, give a default as in ${NAME:-default}, or write '\\$' for a dollar")
      }
    }
  }

  /// Where a reference stands; a value with escapes is longer in the file, so there the whole value is meant.
  private func place(_ lookup: Expander.Lookup, _ entry: EnvEntry) -> ByteRange {
    guard let range = lookup.range, !entry.marks.contains(.escapes) else { return entry.value }
    // Offsets into a value that was not copied are those of the text.
    let inText = range.lowerBound + Int(entry.value.start)
    return ByteRange(inText, inText + range.count)
  }

  private mutating func checkCycles(_ expanded: ExpandedLayers, _ expander: Expander) {
    for cycle in expander.cycles {
      guard let number = cycle.first(where: { expanded.layers.winners[$0] != .none }) else { continue }
      let slot = expanded.layers.winners[number]
      guard let (document, entry) = expanded.layers.entry(slot) else { continue }
      report(
        .referenceCycle, file: expanded.layers.files[Int(slot.file)].name,
        range: document.text.place(entry.value), key: expanded.shownName(number),
        message: ExpandedLayers.describe(cycle.map(expanded.shownName)),
        help: "break the circle; Expo's command crashes on it")
    }
  }
}
