internal import Basics
internal import CommandLine
internal import Settings

/// `env catalog`: a group, since there is more to do with a catalog than to check it.
let envCatalogCommand = CommandSpec(
  "catalog", "work on the catalog of settings", subcommands: [envCatalogCheckCommand])

let envCatalogCheckCommand = CommandSpec(
  "check", "check the catalog itself",
  details: """
    Reads the catalog and the manifests it includes, strictly, and checks that it agrees with itself: groups exist, \
    defaults and examples are values of their own type, conditions and rules name declared settings and their values.

    Exit 1 when something was found, 3 when the file cannot be read as a catalog at all.
    """,
  options: catalogOptions,
  operands: [OperandSpec(.file(), .optional, "the catalog (default: as --catalog)")])

/// `env catalog check`.
func runEnvCatalogCheck(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  if invocation.value("catalog") != nil, !invocation.operands.isEmpty {
    throw Failure(.usage, "the catalog is named twice", hint: "name it either as FILE or with --catalog")
  }
  let location = try Catalog.location(
    directory: invocation.value("dir") ?? ".", file: invocation.operands.first ?? invocation.value("catalog"))
  let catalog = if let location { try Catalog.read(location) } else { Catalog.builtin() }
  let failures = catalog.selfCheck()
  if console.json {
    try console.document([
      "file": .string(catalog.file), "settings": .number(catalog.settings.count),
      "problems": .array(
        failures.map { ["message": .string($0.message), "hint": .optional($0.hint)] }),
    ])
  } else {
    for failure in failures {
      try console.line(failure.message + (failure.hint.map { "\n  \($0)" } ?? ""))
    }
    if failures.isEmpty {
      console.note("\(OutsideText.clean(catalog.file, limit: 300)): \(catalog.settings.count) settings, nothing wrong")
    }
  }
  return failures.isEmpty ? .done : .found
}
