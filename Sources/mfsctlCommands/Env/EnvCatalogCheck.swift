internal import CommandLine

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
