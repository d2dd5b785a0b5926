public import Basics

extension Catalog {
  /// The built-in catalog of MFS. Its name in messages is `built-in catalog`.
  public static func builtin() throws(Failure) -> Catalog { try parse(builtinText, file: "built-in catalog") }

  /// The built-in catalog as YAML.
  static var builtinText: [UInt8] {
    let text = BuiltinCatalog.text
    return unsafe Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
