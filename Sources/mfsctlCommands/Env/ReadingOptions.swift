public import Basics
public import CommandLine
public import Settings

/// The options that say which files a command reads, and as whom.
let readingOptions: [OptionSpec] =
  catalogOptions + [
    .value("mode", .text("MODE"), "development (default), production, test or another mode"),
    .value("dialect", .choice(Dialect.allCases.map(\.rawValue)), "whose reading counts (default: expo)"),
  ]

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

  /// The catalog that the options name.
  public func catalog() throws(Failure) -> Catalog { try Catalog.load(directory: directory, file: value("catalog")) }
}
