internal import Basics
internal import CommandLine
internal import Glibc
internal import Settings

// `embed-catalog FILE`: prints a catalog as Swift. `make generate` makes the built-in catalog with it.
let console = Console(invocation: nil, environment: .current())
do throws(Failure) {
  let arguments = try ProcessArguments.current().checked()
  guard let path = arguments.first, arguments.count == 1 else {
    throw Failure(.usage, "embed-catalog needs one FILE: the catalog")
  }
  try console.write(CatalogSource(try Catalog.load(directory: ".", file: path)).text)
} catch {
  console.report(error)
  exit(error.code.exit.rawValue)
}
