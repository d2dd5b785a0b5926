internal import CSodium

/// Comparisons that take the same time wherever two values differ.
enum ConstantTime {
  static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe sodium_memcmp(one, other, one.count) == 0
  }
}
