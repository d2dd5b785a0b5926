/// Comparisons that take the same time wherever two values differ.
enum ConstantTime {
  static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
