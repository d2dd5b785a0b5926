internal import Basics

extension LintPass {
  /// What the catalog says against the values; only `rules`, if given.
  mutating func checkCatalog(_ expanded: ExpandedLayers, rules: Set<Rule>? = nil) {
    let layers = expanded.layers
    var values: [String: String] = [:]
    var numbers: [String: Int] = [:]
    let answered = layers.documents.map { AnsweredByReader($0?.problems ?? []) }
    for number in layers.winners.indices {
      let isDeclared = number < expanded.declaredCount
      guard isDeclared || layers.winners[number] != .none else { continue }
      // Of an undeclared key only the name can be wrong, unless it is public.
      if !isDeclared, isOff(.unknownKey), !layers.keys.bytes(number).starts(with: "EXPO_PUBLIC_".utf8) { continue }
      guard !(expanded.expander?.broken.contains(number) ?? false), let value = expanded.value(number) else { continue }
      if expanded.hidesName(number) {
        if rules?.contains(.unknownKey) ?? true { checkHidden(number, expanded, answered) }
        continue
      }
      let name = layers.keys.name(number)
      values[name] = value
      numbers[name] = number
    }
    // What a circle makes of a setting is its own finding.
    let broken = Set((expanded.expander?.broken ?? []).map(layers.keys.name))
    for problem in catalog.problems(in: values, mode: mode) {
      guard rules?.contains(problem.rule) ?? true, !broken.contains(problem.key) else { continue }
      let number = numbers[problem.key]
      let entry = number.flatMap { layers.processValue($0) == nil ? layers.entry(layers.winners[$0]) : nil }
      let file = number.map { layers.winners[$0] }.flatMap { entry == nil ? nil : layers.files[Int($0.file)].name }
      if let number, let entry = entry?.entry,
        answered[Int(layers.winners[number].file)].covers(problem.rule, entry)
      {
        continue
      }
      report(
        problem.rule, standard: problem.severity, file: file,
        range: entry.map { place(of: problem.rule, $0.document, $0.entry) }, key: KeyText.shown(problem.key),
        message: problem.message + (entry == nil && number != nil ? " (in the process environment)" : ""),
        help: problem.help)
    }
  }

  /// A key that no catalog declares, and that must not be named.
  private mutating func checkHidden(_ number: Int, _ expanded: ExpandedLayers, _ answered: [AnsweredByReader]) {
    let slot = expanded.layers.winners[number]
    guard let (document, entry) = expanded.layers.entry(slot),
      !answered[Int(slot.file)].covers(.unknownKey, entry)
    else { return }
    report(
      .unknownKey, standard: .warning, file: expanded.layers.files[Int(slot.file)].name,
      range: document.text.place(entry.key), key: Resolution.mask,
      message: "this name stands where a secret may go on, and no catalog declares it",
      help: "if it is a piece of a value, put quotes around the whole value")
  }

  private func place(of rule: Rule, _ document: EnvDocument, _ entry: EnvEntry) -> SourceRange {
    switch rule {
    case .invalidValue, .insecureURL, .discouraged:
      // With its quotes, which people see as part of it.
      let quotes = entry.quote == 0 ? 0 : 1
      return document.text.place(
        ByteRange(Int(entry.value.start) - quotes, Int(entry.value.end) + quotes))
    default: return document.text.place(entry.key)
    }
  }
}

/// What the reader's findings say already: an odd name is in no catalog, and a value that nobody meant is wrong.
private struct AnsweredByReader {
  private var names: Set<ByteRange> = []
  private var values: Set<ByteRange> = []

  init(_ problems: [ReaderProblem]) {
    for problem in problems {
      switch problem.kind {
      case .oddKey, .commentRead, .markInKey, .exportKept: names.insert(problem.range)
      case .blankAfterEquals, .neverClosed, .closedByLaterLine: if let key = problem.key { values.insert(key) }
      default: break
      }
    }
  }

  func covers(_ rule: Rule, _ entry: EnvEntry) -> Bool {
    switch rule {
    case .unknownKey: names.contains(entry.key)
    case .invalidValue, .insecureURL, .discouraged: values.contains(entry.key)
    default: false
    }
  }
}
