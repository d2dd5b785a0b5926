public import Basics

/// The names that the toolkit itself gives to values. Other names need `--uncatalogued`, so that a typing error does not
/// make a value that nothing reads. What each is for stands in `env/catalog.yaml` under `enclave`, and a test holds the
/// two together; the vault does not read the catalog, because a catalog belongs to an app's folder.
public struct KeyCatalogue: Sendable {
  /// What a value is, in the words of the catalog.
  public enum ValueType: String, Sendable {
    /// UTF-8 text that may be shown.
    case string
    /// UTF-8 text that is secret, or a database's key.
    case secret
    /// A moment, RFC 3339.
    case timestamp
    /// Anything.
    case bytes
  }

  /// One name, or a family of names that ends in placeholders such as `<database>`.
  public struct Key: Sendable, Equatable {
    /// The name, e.g. `auth.sessionId` or `mfs.dbkey.<database>`.
    public let name: String
    /// What its value is.
    public let type: ValueType

    init(_ name: String, _ type: ValueType) {
      self.name = name
      self.type = type
    }

    /// What comes before the placeholders; nil for a single name.
    var prefix: String? { name.firstIndex(of: "<").map { String(name[..<$0]) } }

    func includes(_ key: KeyName) -> Bool {
      guard let prefix else { return key.text == name }
      guard key.text.utf8.starts(with: prefix.utf8) else { return false }
      // Each placeholder stands for a part that is not empty; the last may have dots of its own.
      let count = name.utf8.count { $0 == 0x3C }
      let rest = key.text.utf8.dropFirst(prefix.utf8.count)
      let parts = rest.split(separator: 0x2E, maxSplits: count - 1, omittingEmptySubsequences: false)
      return parts.count == count && parts.allSatisfy { !$0.isEmpty }
    }
  }

  /// Every catalogued name.
  public static let keys: [Key] = [
    Key("auth.strategy", .string), Key("auth.signInId", .string), Key("auth.binding", .string),
    Key("auth.identifier", .string), Key("auth.password", .secret), Key("auth.sessionId", .secret),
    Key("auth.sessionExpiresAt", .timestamp), Key("auth.cookieName", .string), Key("auth.idToken", .secret),
    Key("auth.idTokenExpiresAt", .timestamp), Key("auth.refreshToken", .secret), Key("auth.employeeId", .string),
    Key("auth.plugin.<strategy>.<name>", .bytes), Key("mfs.deviceId", .string), Key("mfs.dbkey.<database>", .secret),
  ]

  /// The entry that a name falls under; nil for an uncatalogued name.
  public static func entry(for name: KeyName) -> Key? { keys.first { $0.includes(name) } }

  /// What the value of a name is; ``ValueType/bytes`` for an uncatalogued one.
  public static func type(of name: KeyName) -> ValueType { entry(for: name)?.type ?? .bytes }

  /// Checks that a name is catalogued. Throws ``FailureCode/usage``, with the one that was probably meant.
  public static func require(_ name: KeyName) throws(Failure) {
    guard entry(for: name) == nil else { return }
    let suggestion = EditDistance.suggestion(for: name.text, among: keys.lazy.filter { $0.prefix == nil }.map(\.name))
    throw Failure(
      .usage, "'\(name)' is not a catalogued key",
      hint: (suggestion.map { "did you mean '\($0)'? " } ?? "") + "--uncatalogued takes any name")
  }
}
