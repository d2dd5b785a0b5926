public import Basics

extension Catalog {
  /// The catalog of an app's folder: the file given, else `DIRECTORY/env/catalog.yaml`, else the built-in one of MFS.
  ///
  /// Throws ``FailureCode/notFound`` when the file given is missing and ``FailureCode/configuration``, with
  /// `file:line:column` and what to do, when a catalog cannot be used.
  public static func load(directory: String, file: String?) throws(Failure) -> Catalog {
    throw Failure(.configuration, "no catalog can be read yet")
  }

  /// The built-in catalog of MFS.
  public static func builtin() throws(Failure) -> Catalog {
    throw Failure(.configuration, "no catalog can be read yet")
  }
}
