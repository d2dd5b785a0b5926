internal import Basics
internal import CommandLine
internal import Glibc
internal import Settings

// `embed-catalog FILE [NAME]`: prints a catalog as Swift, by default the one of the app. `make generate` makes the built-in
// catalogs with it.
let console = Console(invocation: nil, environment: .current())
do throws(Failure) {
  let arguments = try ProcessArguments.current().checked()
  guard let path = arguments.first, arguments.count <= 2 else {
    throw Failure(.usage, "embed-catalog needs FILE, the catalog, and takes NAME, the enumeration's")
  }
  let catalog = try Catalog.load(directory: ".", file: path)
  let source =
    arguments.count == 1
    ? CatalogSource(catalog) : CatalogSource(catalog, name: arguments[1], file: path, isOutside: true)
  try console.write(source.text)
} catch {
  console.report(error)
  exit(error.code.exit.rawValue)
}
