extension Catalog {
  /// Whether a value must be masked wherever it is shown: its setting is marked secret, or the name or the value looks
  /// like a secret's.
  public func isSecret(name: String, value: String) -> Bool {
    setting(name)?.secret ?? false
  }
}
