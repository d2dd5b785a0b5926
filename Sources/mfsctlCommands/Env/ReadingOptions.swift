public import Basics
public import CommandLine
public import Settings

/// The options that say which files a command reads, and as whom.
let readingOptions = readingOptionList(mode: "development (default), production, test or another mode")

/// The same with other words on the mode.
func readingOptionList(mode: String) -> [OptionSpec] {
  catalogOptions + [
    .value("mode", .text("MODE"), mode),
    .value("dialect", .choice(Dialect.allCases.map(\.rawValue)), "whose reading counts (default: expo)"),
  ]
}

extension Invocation {
  /// The app's folder.
  public var directory: String { value("dir") ?? "." }

  /// Whose reading counts.
  public var dialect: Dialect { value("dialect").flatMap(Dialect.init(rawValue:)) ?? .expo }

  /// The mode. Throws ``FailureCode/usage``.
  public func mode() throws(Failure) -> String {
    let mode = value("mode") ?? "development"
    try Layers.check(mode: mode)
    guard mode != "all" else {
      throw Failure(.usage, "'all' is not one mode", hint: "only 'mfsctl env lint' looks at all of them")
    }
    return mode
  }

  /// Warns of a mode that nothing knows and that is near to one that something does. `directory` is nil for files that
  /// stand in no folder of an app.
  func warnOfMistypedMode(_ mode: String, directory: String?, _ catalog: Catalog, _ console: Console) {
    guard let meant = Layers.likelyMode(for: mode, directory: directory, catalog: catalog) else { return }
    console.warn(
      "nothing is known of a mode '\(OutsideText.clean(mode, limit: 64))'; did you mean '\(OutsideText.clean(meant, limit: 64))'?"
    )
  }

  /// The catalog that the options name.
  public func catalog() throws(Failure) -> Catalog { try Catalog.load(directory: directory, file: value("catalog")) }
}
