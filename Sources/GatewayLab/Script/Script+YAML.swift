internal import Basics
internal import YAML

extension Script {
  private static let limit = 1_000

  /// Reads a script, and works out how everything is from each of its moments on. What a step says holds on top of the
  /// scenario and of the steps before it; of faults the newest counts first.
  init(_ node: YAMLNode, on base: Scenario) throws(Failure) {
    let items = try node.items()
    guard items.count <= Script.limit else {
      throw node.failure("this script has more than \(Script.limit) steps", hint: "use fewer")
    }
    var steps = try items.map { (item) throws(Failure) in try ScriptStep(item) }
    needsProvider = steps.contains(where: \.needsProvider)
    // Those that begin together apply in the order of the file.
    steps = steps.enumerated().sorted { ($0.element.begin, $0.offset) < ($1.element.begin, $1.offset) }.map(\.element)
    for at in Set(steps.map(\.begin) + steps.compactMap(\.end)).sorted() {
      moments.append(try Script.moment(at, steps, base))
    }
  }

  private static func moment(_ at: Int64, _ steps: [ScriptStep], _ base: Scenario) throws(Failure) -> Moment {
    var (options, faults, provider, skew) = (base.options, base.faults, base.provider, Int64(0))
    for step in steps where step.holds(at: at) {
      if let set = step.set { try options.read(set) }
      faults = step.faults + faults
      if let idp = step.idp { try provider.read(idp) }
      skew += step.clock
    }
    let begun = steps.filter { $0.begin == at }
    return Moment(
      at: at, options: options, faults: faults, provider: provider, skew: skew, actions: begun.flatMap(\.actions),
      begins: begun.map(\.summary), ends: steps.filter { $0.end == at }.map(\.summary))
  }
}
