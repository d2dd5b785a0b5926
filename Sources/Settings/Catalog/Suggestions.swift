internal import Basics

/// Which settings mistyped keys were probably meant to be. Only so many keys are compared: who has thousands that nobody
/// declares has not mistyped them.
struct Suggestions {
  private let catalog: Catalog
  private var known: EditDistance.Candidates?
  /// How many settings may still be compared with.
  private var comparisons: Int

  init(_ catalog: Catalog) {
    self.catalog = catalog
    // A hundred keys in any case.
    comparisons = max(100_000, 100 * catalog.settings.count)
  }

  /// The setting that is near to a key; nil when none is, or when too many were looked for.
  mutating func setting(like key: String) -> String? {
    guard comparisons > 0 else { return nil }
    comparisons -= catalog.settings.count
    let candidates = known ?? EditDistance.Candidates(catalog.settings.map { Suggestions.bareName($0.name) })
    known = candidates
    guard let near = candidates.nearest(to: Suggestions.bareName(key)) else { return nil }
    return catalog.settings.first { Suggestions.bareName($0.name) == near }?.name
  }

  // The prefix that nearly all names share would make any two of them near, and a missing one far.
  private static func bareName(_ name: String) -> String {
    name.hasPrefix("EXPO_PUBLIC_") ? String(Substring(name.utf8.dropFirst(12))) : name
  }
}
