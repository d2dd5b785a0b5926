/// The tree of a pattern.
indirect enum PatternNode {
  case take(PatternClass)
  case sequence([PatternNode])
  case choice([PatternNode])
  /// At least, at most; nil for no limit.
  case repetition(PatternNode, Int, Int?)
}

/// A set of Unicode scalars.
struct PatternClass: Equatable {
  var ranges: [ClosedRange<UInt32>]
  var isNegated = false

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) } != isNegated
  }

  static let any = PatternClass(ranges: [], isNegated: true)
  static let digit = PatternClass(ranges: [0x30...0x39])
  static let word = PatternClass(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static func one(_ scalar: Unicode.Scalar) -> PatternClass { PatternClass(ranges: [scalar.value...scalar.value]) }
}

/// Reads a pattern by recursive descent; groups nest a few levels only.
struct PatternParser {
  private var rest: ArraySlice<Unicode.Scalar>
  private let length: Int
  private static let depthLimit = 16
  private static let repeatLimit = 1000

  init(_ text: String) {
    let scalars = Array(text.unicodeScalars.prefix(Pattern.lengthLimit + 1))
    length = scalars.count
    rest = scalars[...]
  }

  mutating func parse() throws(Pattern.Problem) -> PatternNode {
    guard length <= Pattern.lengthLimit else { throw .init("is longer than \(Pattern.lengthLimit) characters") }
    if rest.first == "^" { rest.removeFirst() }
    let node = try choice(depth: 0)
    guard rest.isEmpty else { throw .init("has a ')' without a '('") }
    return node
  }

  private mutating func choice(depth: Int) throws(Pattern.Problem) -> PatternNode {
    guard depth <= PatternParser.depthLimit else { throw .init("nests groups too deeply") }
    var branches = [try sequence(depth: depth)]
    while rest.first == "|" {
      rest.removeFirst()
      branches.append(try sequence(depth: depth))
    }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence(depth: Int) throws(Pattern.Problem) -> PatternNode {
    var parts: [PatternNode] = []
    while let scalar = rest.first, scalar != "|", scalar != ")" {
      rest.removeFirst()
      if scalar == "$", rest.isEmpty, depth == 0 { break }
      var part = try atom(scalar, depth: depth)
      if let bounds = try bounds() {
        part = .repetition(part, bounds.least, bounds.most)
        if let next = rest.first, "*+?{".unicodeScalars.contains(next) {
          throw .init("has a repetition of a repetition")
        }
      }
      parts.append(part)
    }
    return .sequence(parts)
  }

  private mutating func atom(_ scalar: Unicode.Scalar, depth: Int) throws(Pattern.Problem) -> PatternNode {
    switch scalar {
    case ".": return .take(.any)
    case "[": return .take(try set())
    case "\\": return .take(try escape())
    case "(":
      let node = try choice(depth: depth + 1)
      guard rest.popFirst() == ")" else { throw .init("has a '(' without a ')'") }
      return node
    case "*", "+", "?", "{": throw .init("has a '\(scalar)' with nothing to repeat")
    case "^", "$": throw .init("has a '\(scalar)' in its middle; write '\\\(scalar)' for the character")
    default: return .take(.one(scalar))
    }
  }

  private mutating func escape() throws(Pattern.Problem) -> PatternClass {
    switch rest.popFirst() {
    case "d": return .digit
    case "w": return .word
    case let scalar? where scalar.isASCII && !scalar.properties.isAlphabetic && !PatternClass.digit.contains(scalar):
      return .one(scalar)
    default: throw .init("has a '\\' before something that it has no meaning for")
    }
  }

  private mutating func set() throws(Pattern.Problem) -> PatternClass {
    var set = PatternClass(ranges: [])
    if rest.first == "^" {
      rest.removeFirst()
      set.isNegated = true
    }
    while let scalar = rest.popFirst() {
      if scalar == "]" {
        guard !set.ranges.isEmpty else { throw .init("has an empty set '[]'") }
        return set
      }
      let low = scalar == "\\" ? try escape() : .one(scalar)
      guard rest.first == "-", let end = rest.dropFirst().first, end != "]" else {
        set.ranges += low.ranges
        continue
      }
      rest.removeFirst(2)
      let high = end == "\\" ? try escape() : .one(end)
      guard let from = low.ranges.first, let to = high.ranges.first, low.ranges.count == 1, high.ranges.count == 1,
        from.count == 1, to.count == 1, from.lowerBound <= to.lowerBound
      else { throw .init("has a set with a range that ends before it begins") }
      set.ranges.append(from.lowerBound...to.lowerBound)
    }
    throw .init("has a '[' without a ']'")
  }

  private mutating func bounds() throws(Pattern.Problem) -> (least: Int, most: Int?)? {
    switch rest.first {
    case "*": rest.removeFirst(); return (0, nil)
    case "+": rest.removeFirst(); return (1, nil)
    case "?": rest.removeFirst(); return (0, 1)
    case "{": rest.removeFirst()
    default: return nil
    }
    let least = try number()
    var most: Int? = least
    if rest.first == "," {
      rest.removeFirst()
      most = rest.first == "}" ? nil : try number()
    }
    guard rest.popFirst() == "}", most ?? least >= least else {
      throw .init("has braces that are not {m}, {m,} or {m,n}")
    }
    return (least, most)
  }

  private mutating func number() throws(Pattern.Problem) -> Int {
    var digits = ""
    while let scalar = rest.first, PatternClass.digit.contains(scalar), digits.count < 4 {
      digits.unicodeScalars.append(scalar)
      rest.removeFirst()
    }
    guard let number = Int(digits), number <= PatternParser.repeatLimit else {
      throw .init("has a repetition that is not a number up to \(PatternParser.repeatLimit)")
    }
    return number
  }
}
