/// Texts are compared as SQLite compares them, byte for byte; Swift takes canonically equivalent ones for equal.
func isSame(_ one: String?, _ other: String?) -> Bool {
  guard let one, let other else { return one == nil && other == nil }
  return one.utf8.elementsEqual(other.utf8)
}
