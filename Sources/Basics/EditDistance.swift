/// Did-you-mean: which of some known words a mistyped one was probably meant to be.
public enum EditDistance {
  /// The closest of `candidates` to `word`, or nil when none is near: at most a third of its letters off (Damerau's
  /// distance: insert, delete, replace, swap neighbours). The first wins among equals.
  public static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    let length = word.unicodeScalars.count
    let limit = max(1, length / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      // Each letter of difference in length is an edit at least.
      guard abs(candidate.unicodeScalars.count - length) <= limit else { continue }
      let distance = distance(word, candidate)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// The number of edits between two words, upper and lower case counted as the same letter.
  static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a.lowercased().unicodeScalars), b = Array(b.lowercased().unicodeScalars)
    // A hostile word must not cost quadratic time.
    guard a.count <= 128, b.count <= 128 else { return .max }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    var current = last
    for i in 1...a.count {
      current[0] = i
      for j in 1...b.count {
        let same = a[i - 1] == b[j - 1]
        current[j] = min(last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          current[j] = min(current[j], beforeLast[j - 2] + 1)
        }
      }
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return last[b.count]
  }
}
