/// Turns the tree of a pattern into steps.
struct PatternCompiler {
  private(set) var steps: [Pattern.Step] = []
  // Groups that take nothing make no steps, so their repetitions are counted by visits.
  private var visits = 0

  mutating func compile(_ node: PatternNode) throws(Pattern.Problem) {
    visits += 1
    guard steps.count < Pattern.stepLimit, visits < 4 * Pattern.stepLimit else { throw .init("repeats too much") }
    switch node {
    case .take(let set): steps.append(.take(set))
    case .sequence(let parts): for part in parts { try compile(part) }
    case .choice(let branches): try choice(branches)
    case .repetition(let part, let least, let most): try repetition(part, least, most)
    }
  }

  // Each branch but the last: fork to it or past it; behind it, jump to the end.
  private mutating func choice(_ branches: [PatternNode]) throws(Pattern.Problem) {
    var ends: [Int] = []
    for branch in branches.dropLast() {
      let fork = hold()
      try compile(branch)
      ends.append(hold())
      steps[fork] = .fork(fork + 1, steps.count)
    }
    if let last = branches.last { try compile(last) }
    for end in ends { steps[end] = .jump(steps.count) }
  }

  private mutating func repetition(_ part: PatternNode, _ least: Int, _ most: Int?) throws(Pattern.Problem) {
    for _ in 0..<least { try compile(part) }
    guard let most else {
      let fork = hold()
      try compile(part)
      steps.append(.jump(fork))
      steps[fork] = .fork(fork + 1, steps.count)
      return
    }
    var forks: [Int] = []
    for _ in least..<most {
      forks.append(hold())
      try compile(part)
    }
    for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
  }

  // A place whose step is known only later.
  private mutating func hold() -> Int {
    steps.append(.accept)
    return steps.count - 1
  }
}
