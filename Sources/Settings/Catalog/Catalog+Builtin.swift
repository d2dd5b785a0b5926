extension Catalog {
  /// The built-in catalog of MFS: env/catalog.yaml as it was when the program was made. Its name in messages is
  /// `built-in catalog`. Nothing is parsed, so that it costs next to no time.
  public static func builtin() -> Catalog {
    Catalog(
      file: "built-in catalog", groups: BuiltinCatalog.groups, settings: BuiltinCatalog.settings,
      rules: BuiltinCatalog.rules, enclave: BuiltinCatalog.enclave)
  }
}
