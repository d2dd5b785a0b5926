/// A reference in a value - `$NAME`, `${NAME:-default}` - as dotenv-expand 11.0.7 finds it: an optional backslash, `$`
/// not followed by `(`, an optional brace, a name of letters, digits, `_` and `.`, an optional default behind `:-` or
/// `-`, an optional brace. Braces need not pair.
struct Reference {
  /// All of it.
  let range: Range<Int>
  /// Whether a backslash stands before it, so that it stays text.
  let isEscaped: Bool
  /// The name.
  let name: Range<Int>
  /// The default; nil for none. Never empty.
  let defaultValue: Range<Int>?
}

/// Finds the references of one text from left to right, each byte looked at a fixed number of times.
struct ReferenceScanner {
  private let text: ArraySlice<UInt8>
  private var braces: BraceFinder

  init(_ text: ArraySlice<UInt8>) {
    self.text = text
    braces = BraceFinder(text)
  }

  /// The first reference at or behind an offset.
  mutating func next(from start: Int) -> Reference? {
    var index = start
    while index < text.endIndex {
      let byte = text[index]
      if byte == Byte.dollar, let found = reference(at: index, dollar: index) { return found }
      if byte == Byte.backslash, index + 1 < text.endIndex, text[index + 1] == Byte.dollar,
        let found = reference(at: index, dollar: index + 1)
      {
        return found
      }
      index += 1
    }
    return nil
  }

  private mutating func reference(at start: Int, dollar: Int) -> Reference? {
    var index = dollar + 1
    guard index < text.endIndex, text[index] != Byte.openParenthesis else { return nil }
    if text[index] == Byte.openBrace { index += 1 }
    let name = index
    while index < text.endIndex, Byte.isWord(text[index]) || text[index] == Byte.dot { index += 1 }
    guard index > name else { return nil }
    let nameRange = name..<index
    var defaultRange: Range<Int>?
    var value = index
    if value < text.endIndex, text[value] == Byte.colon { value += 1 }
    if value < text.endIndex, text[value] == Byte.hyphen {
      let end = braces.endOfDefault(from: value + 1)
      if end > value + 1 {
        defaultRange = (value + 1)..<end
        index = end
      }
    }
    if index < text.endIndex, text[index] == Byte.closeBrace { index += 1 }
    return Reference(
      range: start..<index, isEscaped: start < dollar, name: nameRange, defaultValue: defaultRange)
  }
}

/// Where a default ends: at the first `}` that belongs to no `${` of its own, which nest three deep. The pattern that
/// dotenv-expand matches backtracks; this gives what it settles on without doing so.
private struct BraceFinder {
  private let text: ArraySlice<UInt8>
  private lazy var positions = text.indices.filter { text[$0] == Byte.closeBrace }

  init(_ text: ArraySlice<UInt8>) { self.text = text }

  mutating func endOfDefault(from start: Int) -> Int {
    var index = start
    while index < text.endIndex, text[index] != Byte.closeBrace {
      if opens(index), closing(from: index + 2) != nil {
        index = endOfOuter(from: index + 2)
      } else {
        index += 1
      }
    }
    return index
  }

  // There is a `}` to come, so this ends; a nested group is taken when it leaves one for the outer.
  private mutating func endOfOuter(from start: Int) -> Int {
    guard let last = positions.last else { return text.endIndex }
    var index = start
    while index < text.endIndex {
      if text[index] == Byte.closeBrace { return index + 1 }
      if opens(index), let first = closing(from: index + 2), first < last {
        index = endOfMiddle(from: index + 2, before: last)
      } else {
        index += 1
      }
    }
    return text.endIndex
  }

  private mutating func endOfMiddle(from start: Int, before last: Int) -> Int {
    var index = start
    while index < text.endIndex {
      if text[index] == Byte.closeBrace { return index + 1 }
      if opens(index), let inner = closing(from: index + 2), let next = closing(from: inner + 1), next < last {
        index = inner + 1
      } else {
        index += 1
      }
    }
    return text.endIndex
  }

  private func opens(_ index: Int) -> Bool {
    index + 1 < text.endIndex && text[index] == Byte.dollar && text[index + 1] == Byte.openBrace
  }

  /// The first `}` at or behind an offset.
  private mutating func closing(from start: Int) -> Int? {
    var low = 0, high = positions.count
    while low < high {
      let middle = low + (high - low) / 2
      if positions[middle] < start { low = middle + 1 } else { high = middle }
    }
    return low < positions.count ? positions[low] : nil
  }
}
