/// A span of seconds in words: `45 s`, `1 h 4 min`, `3 d 2 h`.
enum TimeSpan {
  static func words(_ seconds: Int64) -> String {
    let count = seconds.magnitude
    let units: [(size: UInt64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
    guard let first = units.firstIndex(where: { count >= $0.size }) else { return "0 s" }
    var text = "\(count / units[first].size) \(units[first].name)"
    if first + 1 < units.count {
      let rest = count % units[first].size / units[first + 1].size
      if rest > 0 { text += " \(rest) \(units[first + 1].name)" }
    }
    return text
  }
}
