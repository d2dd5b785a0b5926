extension Catalog {
  /// Whether a value must be masked wherever it is shown: its setting is marked secret, or the name or the value looks
  /// like a secret's.
  public func isSecret(name: String, value: String) -> Bool {
    setting(name)?.secret ?? false || SecretSigns.isSecret(name: name) || SecretSigns.kind(of: value) != nil
  }

  /// What is wrong with a key whose value the app's bundle would show to everyone; nil when nothing is.
  func publicSecretProblem(of key: String, value: String) -> CatalogProblem? {
    guard key.hasPrefix("EXPO_PUBLIC_") else { return nil }
    let shown = KeyText.shown(key)
    let message: String
    if let kind = SecretSigns.kind(of: value) {
      message = "\(shown) looks like \(kind), and EXPO_PUBLIC_ values can be read in the app by everyone"
    } else if setting(key)?.secret ?? false {
      message = "\(shown) is marked secret, and EXPO_PUBLIC_ values can be read in the app by everyone"
    } else if SecretSigns.isSecret(name: key) {
      message = "\(shown) has the name of a secret, and EXPO_PUBLIC_ values can be read in the app by everyone"
    } else {
      return nil
    }
    return CatalogProblem(
      .secretInPublic, key: key, message: message,
      help: "keep it on a server or in the vault; if it was ever built into an app, replace it")
  }
}
