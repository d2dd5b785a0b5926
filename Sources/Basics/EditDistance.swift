/// Did-you-mean: which of some known words a mistyped one was probably meant to be.
public enum EditDistance {
  /// The closest of `candidates` to `word`, or nil when none is near: at most a third of its letters off (Damerau's
  /// distance: insert, delete, replace, swap neighbours). The first wins among equals.
  public static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    Candidates(candidates).nearest(to: word)
  }

  /// Words to be found by many mistyped ones.
  public struct Candidates {
    private let words: [(word: String, letters: [UInt32])]

    /// These words, the first of which wins among equals.
    public init(_ words: some Sequence<String>) { self.words = words.map { ($0, letters($0)) } }

    /// The closest word, as ``EditDistance/suggestion(for:among:)`` finds it.
    public func nearest(to word: String) -> String? {
      let letters = EditDistance.letters(word)
      let limit = max(1, letters.count / 3)
      var best: (word: String, distance: Int)?
      // Each letter of difference in length is an edit at least.
      for candidate in words where abs(candidate.letters.count - letters.count) <= limit {
        let distance = EditDistance.distance(letters, candidate.letters, limit: limit)
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate.word, distance) }
      }
      return best?.word
    }
  }

  /// The number of edits between two words, upper and lower case counted as the same letter.
  static func distance(_ a: String, _ b: String) -> Int { distance(letters(a), letters(b), limit: .max) }

  private static func letters(_ word: String) -> [UInt32] { word.lowercased().unicodeScalars.map { $0.value } }

  /// The same for letters; any number above `limit` when it is more than that.
  private static func distance(_ a: [UInt32], _ b: [UInt32], limit: Int) -> Int {
    // A hostile word must not cost quadratic time.
    guard a.count <= 128, b.count <= 128 else { return .max }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    var current = last
    var leastBefore = 0
    for i in 1...a.count {
      current[0] = i
      var least = i
      for j in 1...b.count {
        let same = a[i - 1] == b[j - 1]
        current[j] = min(last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          current[j] = min(current[j], beforeLast[j - 2] + 1)
        }
        least = min(least, current[j])
      }
      // No later row is below two rows that are above the limit.
      guard least <= limit || leastBefore <= limit else { return .max }
      leastBefore = least
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return last[b.count]
  }
}
