internal import Basics

/// A small regular language: a text matches as a whole or not at all, in time proportional to its length times the
/// pattern's, whatever both are. There are no back-references and nothing to backtrack over, so that no pattern from an
/// untrusted catalog can stall a linter.
///
/// Literals, `.`, `[a-z_]`, `[^...]`, `\d` `\w`, `\` before punctuation, `( )`, `|`, `*` `+` `?` `{m}` `{m,}` `{m,n}`;
/// `^` at the very beginning and `$` at the very end may be written and change nothing.
struct Pattern {
  /// What is wrong with a pattern, as a phrase that completes "the pattern ...".
  struct Problem: Error, Equatable {
    let phrase: String
    init(_ phrase: String) { self.phrase = phrase }
  }

  /// One step of the program.
  enum Step: Equatable {
    /// Take a scalar out of these.
    case take(PatternClass)
    /// Go on at both.
    case fork(Int, Int)
    /// Go on there.
    case jump(Int)
    case accept
  }

  /// The longest pattern in scalars, and the most steps that its repetitions may unfold to.
  static let lengthLimit = 512
  static let stepLimit = 4096
  /// Longer texts, in scalars, do not match.
  static let textLimit = 4096

  private let steps: [Step]

  init(_ text: String) throws(Problem) {
    var parser = PatternParser(text)
    var compiler = PatternCompiler()
    try compiler.compile(try parser.parse())
    steps = compiler.steps + [.accept]
  }

  /// Whether a text matches as a whole.
  func matches(_ text: some StringProtocol) -> Bool {
    var current = StepSet(count: steps.count)
    var next = current
    follow(0, into: &current)
    for (index, scalar) in text.unicodeScalars.enumerated() {
      guard index < Pattern.textLimit, !current.members.isEmpty else { return false }
      next.removeAll()
      for position in current.members {
        if case .take(let set) = steps[position], set.contains(scalar) { follow(position + 1, into: &next) }
      }
      swap(&current, &next)
    }
    return current.members.contains { steps[$0] == .accept }
  }

  // Adds a step and all that it leads to without taking anything.
  private func follow(_ start: Int, into set: inout StepSet) {
    var open = [start]
    while let position = open.popLast() {
      guard set.insert(position) else { continue }
      switch steps[position] {
      case .fork(let first, let second):
        open.append(second)
        open.append(first)
      case .jump(let target): open.append(target)
      case .take, .accept: break
      }
    }
  }
}

/// A set of step numbers that is emptied in constant time.
private struct StepSet {
  private(set) var members: [Int] = []
  private var marks: [UInt32]
  private var round: UInt32 = 1

  init(count: Int) { marks = Array(repeating: 0, count: count) }

  mutating func insert(_ step: Int) -> Bool {
    guard marks[step] != round else { return false }
    marks[step] = round
    members.append(step)
    return true
  }

  // A text has far fewer scalars than a round number has values.
  mutating func removeAll() {
    members.removeAll(keepingCapacity: true)
    round += 1
  }
}
