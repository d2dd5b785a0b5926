public import Basics

/// Checks env files: that they mean what they say, and that what they say is what the catalog asks for.
public struct Linter {
  let catalog: Catalog
  let options: LintOptions

  /// A linter for an app's settings.
  public init(catalog: Catalog, options: LintOptions) {
    self.catalog = catalog
    self.options = options
  }

  /// Checks an app's folder in some modes: the files that each mode reads, and those that nobody reads.
  ///
  /// Throws ``FailureCode/notFound`` when there is no such folder and ``FailureCode/configuration`` when references
  /// make too much.
  public func lint(directory: String, modes: [String]) throws(Failure) -> LintReport {
    let unread = try EnvFolder.unreadNames(directory: directory, modes: modes).map {
      EnvFile.load(name: $0, path: "\(directory)/\($0)", dialect: options.dialect)
    }
    // A file that several modes read is read once.
    var known: [String: EnvFile] = [:]
    var stacks: [(String, [EnvFile])] = []
    for mode in modes {
      let files = Layers.fileNames(mode: mode).map { name in
        let file =
          known[name] ?? EnvFile.load(name: name, path: "\(directory)/\(name)", dialect: options.dialect)
        known[name] = file
        return file
      }
      stacks.append((mode, files))
    }
    return try lint(stacks, unread: unread)
  }

  /// Checks files as one stack, the last highest, in some modes.
  public func lint(stack: [EnvFile], modes: [String]) throws(Failure) -> LintReport {
    try lint(modes.map { ($0, stack) }, unread: [])
  }

  private func lint(_ stacks: [(mode: String, files: [EnvFile])], unread: [EnvFile]) throws(Failure) -> LintReport {
    var results: [(mode: String, files: [EnvFile], findings: [Finding], omitted: LintReport.Omitted)] = []
    for (mode, files) in stacks {
      let present = (files + unread).filter {
        if case .missing = $0.state { false } else { true }
      }
      var pass = LintPass(catalog: catalog, options: options, mode: mode)
      try pass.check(stack: files)
      for file in unread { try pass.check(alone: file) }
      let order = Dictionary(present.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
      results.append((mode, present, LintReport.sorted(pass.findings, files: order), pass.omitted))
    }
    return LintReport.merging(results)
  }
}
