public import Basics
internal import YAML

extension Catalog {
  /// The catalog of an app's folder: the file given, else `DIRECTORY/env/catalog.yaml`, else the built-in one of MFS.
  ///
  /// Throws ``FailureCode/notFound`` when the file given, or the folder, is missing, ``FailureCode/usage`` when the folder
  /// is none, ``FailureCode/inputOutput`` when it cannot be read, and ``FailureCode/configuration``, with
  /// `file:line:column` and what to do, when a catalog cannot be used or contradicts itself.
  public static func load(directory: String, file: String?) throws(Failure) -> Catalog {
    guard let path = try location(directory: directory, file: file) else { return builtin() }
    let catalog = try read(path)
    if let failure = catalog.selfCheck().first { throw failure }
    return catalog
  }

  /// The file that holds the catalog of an app's folder; nil when the built-in one is to be used.
  public static func location(directory: String, file: String?) throws(Failure) -> String? {
    // Nothing is told from a folder that cannot be read, least of all that it has no catalog.
    try Files.checkFolder(directory, hint: "give the app's folder with --dir")
    if let file { return file }
    let path = (directory == "." ? "" : directory + "/") + "env/catalog.yaml"
    return try Files.find(path) ? path : nil
  }

  /// The catalog in a file, with the manifests that it includes, which are read as text and nothing more. Only the
  /// form is checked: ``selfCheck()`` says whether it agrees with itself.
  public static func read(_ path: String) throws(Failure) -> Catalog {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let reader = CatalogReader { (name: String, outside: () -> Failure) throws(Failure) -> YAMLNode in
      let file = try Files.realPath(folder + name)
      // The catalog stands in DIR/env; its folder may itself be a link.
      let app = try Files.realPath(folder + "..")
      guard file.utf8.starts(with: (app == "/" ? app : app + "/").utf8) else { throw outside() }
      return try YAMLDocument.parse(try Files.read(file, limit: YAMLLimits.standard.bytes), file: folder + name)
    }
    return try reader.catalog(try YAMLDocument.read(path), file: path)
  }

  /// The catalog in a text without a folder of its own, so that it can include nothing. `file` is its name in messages.
  public static func parse(_ bytes: [UInt8], file: String) throws(Failure) -> Catalog {
    try CatalogReader(manifest: nil).catalog(try YAMLDocument.parse(bytes, file: file), file: file)
  }
}
