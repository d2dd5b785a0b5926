internal import Basics

/// One look at a stack of files in one mode.
struct LintPass {
  let catalog: Catalog
  let options: LintOptions
  let mode: String
  private(set) var findings: [Finding] = []
  /// What was found beyond that.
  private(set) var omitted = LintReport.Omitted()

  init(catalog: Catalog, options: LintOptions, mode: String) {
    self.catalog = catalog
    self.options = options
    self.mode = mode
  }

  /// Checks the files that count together, lowest first.
  mutating func check(stack files: [EnvFile]) throws(Failure) {
    let expanded = try ExpandedLayers(
      files, dialect: options.dialect, catalog: catalog, environment: options.environment)
    for (index, file) in files.enumerated() { checkReading(file, expanded.secrets[Int32(index)]) }
    checkDuplicates(expanded)
    checkReferences(expanded)
    checkCatalog(expanded)
  }

  /// Checks a file that no mode reads, so that only what it says by itself counts.
  mutating func check(alone file: EnvFile) throws(Failure) {
    let expanded = try ExpandedLayers([file], dialect: .node, catalog: catalog, environment: Environment([:]))
    checkReading(file, expanded.secrets[0])
    checkDuplicates(expanded)
    checkKeys(expanded)
  }

  /// Reports unless the rule is off.
  mutating func report(
    _ rule: Rule, standard: Severity? = nil, file: String?, range: SourceRange?, key: String?, message: String,
    help: String?
  ) {
    let severity = options.severity(of: rule, standard: standard ?? rule.defaultSeverity)
    guard severity != .off else { return }
    guard findings.count < LintReport.limit else { return omitted.count(severity) }
    findings.append(
      Finding(
        rule: rule, severity: severity, modes: [mode], file: file, range: range, key: key, message: message,
        help: help))
  }

  /// Counts what there are too many of to keep.
  mutating func omit(_ rule: Rule, _ count: Int) {
    omitted.count(options.severity(of: rule, standard: rule.defaultSeverity), count)
  }

  func isOff(_ rule: Rule) -> Bool { options.severities[rule] == .off }

  private mutating func checkReading(_ file: EnvFile, _ secrets: @autoclosure () -> SecretText?) {
    switch file.state {
    case .missing: return
    case .unreadable(let failure):
      report(
        .unreadableFile, file: file.name, range: nil, key: nil,
        message: "\(OutsideText.clean(file.name)) cannot be read, and the app passes over it in silence: "
          + failure.message, help: failure.hint)
    case .read(let document, _):
      for problem in document.problems {
        let key = problem.key.flatMap { secrets()?.shownName($0) }
        let finding = ReaderFinding(problem.kind, key: key ?? "")
        report(
          finding.rule, file: file.name, range: problem.kind == .utf16 ? nil : document.text.place(problem.range),
          key: key, message: finding.message, help: finding.help)
      }
      for (kind, count) in document.omitted { omit(ReaderFinding(kind, key: "").rule, count) }
    }
  }

  private mutating func checkDuplicates(_ expanded: ExpandedLayers) {
    let layers = expanded.layers
    guard !isOff(.duplicateKey) else { return }
    for (lost, kept) in layers.duplicates {
      guard let (document, first) = layers.entry(lost), let (_, second) = layers.entry(kept) else { continue }
      let key = expanded.secrets[kept.file]?.shownName(second.key) ?? Resolution.mask
      report(
        .duplicateKey, file: layers.files[Int(kept.file)].name, range: document.text.place(second.key), key: key,
        message: "\(key) is set again; line \(document.text.line(of: first.key.start)) no longer counts",
        help: "keep one of the two")
    }
    omit(.duplicateKey, layers.omittedDuplicates)
  }
}
