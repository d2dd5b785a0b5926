internal import Basics

extension LintPass {
  /// What the catalog says against the values.
  mutating func checkCatalog(_ expanded: ExpandedLayers) {
    let known = expanded.knownValues
    let answers = Answers(expanded)
    for problem in catalog.settingProblems(in: known, mode: mode) + catalog.ruleProblems(in: known, mode: mode) {
      report(problem, expanded.layers.keys.lookUp(Array(problem.key.utf8)[...]), expanded, answers)
    }
    checkUndeclared(expanded, answers)
  }

  /// What the catalog says of a file's keys by themselves.
  mutating func checkKeys(_ expanded: ExpandedLayers) {
    let answers = Answers(expanded)
    for problem in catalog.settingProblems(in: expanded.knownValues, mode: mode) where problem.rule == .secretInPublic {
      report(problem, expanded.layers.keys.lookUp(Array(problem.key.utf8)[...]), expanded, answers)
    }
    checkUndeclared(expanded, answers)
  }

  private mutating func checkUndeclared(_ expanded: ExpandedLayers, _ answers: Answers) {
    let layers = expanded.layers
    var suggestions = Suggestions(catalog)
    for number in layers.winners.indices.dropFirst(expanded.declaredCount) where layers.winners[number] != .none {
      // Of an undeclared key only the name can be wrong, unless it is public.
      if isOff(.unknownKey), !layers.keys.bytes(number).starts(with: "EXPO_PUBLIC_".utf8) { continue }
      // That a name is missing is the reader's finding.
      guard !answers.broken.contains(number), !layers.keys.bytes(number).isEmpty else { continue }
      let problems =
        expanded.hidesName(number)
        ? [Catalog.hiddenKeyProblem]
        : catalog.undeclaredProblems(of: layers.keys.name(number), value: expanded.value(number) ?? "", &suggestions)
      for problem in problems { report(problem, number, expanded, answers) }
    }
  }

  /// Reports what the catalog says of a key, unless another finding says it already.
  private mutating func report(
    _ problem: CatalogProblem, _ number: Int?, _ expanded: ExpandedLayers, _ answers: Answers
  ) {
    let layers = expanded.layers
    let number = number.flatMap { expanded.isSet($0) ? $0 : nil }
    if let number, answers.broken.contains(number) { return }
    let slot = number.map { layers.processValue($0) == nil ? layers.winners[$0] : .none } ?? .none
    let entry = layers.entry(slot)
    if let entry, answers.byFile[Int(slot.file)].covers(problem.rule, entry.entry) { return }
    report(
      problem.rule, standard: problem.severity, file: entry == nil ? nil : layers.files[Int(slot.file)].name,
      range: entry.map { place(of: problem.rule, $0.document, $0.entry) },
      key: problem.key == Resolution.mask ? problem.key : KeyText.shown(problem.key),
      message: problem.message + (entry == nil && number != nil ? " (in the process environment)" : ""),
      help: problem.help)
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

extension Catalog {
  /// A key that no catalog declares, and that must not be named.
  fileprivate static var hiddenKeyProblem: CatalogProblem {
    CatalogProblem(
      .unknownKey, severity: .warning, key: Resolution.mask,
      message: "this name stands where a secret may go on, and no catalog declares it",
      help: "if it is a piece of a value, put quotes around the whole value")
  }
}

extension ExpandedLayers {
  /// Whether a file or the process sets a key.
  fileprivate func isSet(_ number: Int) -> Bool {
    layers.winners[number] != .none || layers.processValue(number) != nil
  }

  /// The values of the declared keys, and of those that rules name.
  fileprivate var knownValues: [String: String] {
    let named = catalog.rules.flatMap { $0.when.terms + $0.require.terms }.map(\.key)
    let numbers = Array(0..<declaredCount) + named.compactMap { layers.keys.lookUp(Array($0.utf8)[...]) }
    var values: [String: String] = [:]
    for number in numbers where !(expander?.broken.contains(number) ?? false) {
      if number < declaredCount || layers.winners[number] != .none, let value = value(number) {
        values[layers.keys.name(number)] = value
      }
    }
    return values
  }
}

/// What other findings say already.
private struct Answers {
  /// What a circle makes of a setting is its own finding.
  let broken: Set<Int>
  let byFile: [AnsweredByReader]

  init(_ expanded: ExpandedLayers) {
    broken = expanded.expander?.broken ?? []
    byFile = expanded.layers.documents.map { AnsweredByReader($0?.problems ?? []) }
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
