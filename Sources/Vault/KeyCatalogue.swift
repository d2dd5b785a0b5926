public import Basics

/// The names that the toolkit itself gives to values, as docs/SETTINGS.md lists them. Other names need
/// `--uncatalogued`, so that a typing error does not make a value that nothing reads.
public struct KeyCatalogue: Sendable {
  /// What a value is.
  public enum ValueType: String, Sendable {
    /// UTF-8 text that may be shown.
    case text
    /// UTF-8 text that is secret.
    case secret
    /// A moment, RFC 3339.
    case timestamp
    /// A database's encryption key.
    case key
    /// Anything.
    case bytes
  }

  /// One name, or a family of names that ends in a placeholder such as `<database>`.
  public struct Key: Sendable {
    /// The name, e.g. `auth.sessionId` or `mfs.dbkey.<database>`.
    public let name: String
    /// What its value is.
    public let type: ValueType
    /// What writes it.
    public let writer: String
    /// What removes it.
    public let removedBy: String
    /// One line about it, without a full stop.
    public let summary: String

    /// What comes before the placeholder; nil for a single name.
    var prefix: String? { name.firstIndex(of: "<").map { String(name[..<$0]) } }

    func includes(_ key: KeyName) -> Bool {
      guard let prefix else { return key.text == name }
      guard key.text.utf8.starts(with: prefix.utf8), key.text.utf8.count > prefix.utf8.count else { return false }
      // `auth.plugin.<strategy>.<name>` has two parts to fill.
      return name.utf8.count(where: { $0 == 0x3C }) < 2
        || key.text.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false).count >= 2
    }
  }

  private static func credential(
    _ name: String, _ type: ValueType, _ summary: String, writer: String = "sign-in"
  ) -> Key {
    Key(name: "auth." + name, type: type, writer: writer, removedBy: "logout", summary: summary)
  }

  /// Every catalogued name.
  public static let keys: [Key] = [
    credential("strategy", .text, "The strategy that made the session"),
    credential("signInId", .text, "A random name for this sign-in, so that a late refresh cannot touch the next one"),
    credential("binding", .text, "What the credentials belong to: strategy, issuer, client, gateway, database"),
    credential("identifier", .text, "Who is signed in, as typed"),
    credential("password", .secret, "The password, kept to mint a session; cleared on a 401"),
    credential("sessionId", .secret, "The gateway's session", writer: "sign-in and refresh"),
    credential("sessionExpiresAt", .timestamp, "When that session ends", writer: "sign-in and refresh"),
    credential("cookieName", .text, "The name of the gateway's session cookie", writer: "sign-in and refresh"),
    credential("idToken", .secret, "The identity provider's id token", writer: "sign-in and refresh"),
    credential("idTokenExpiresAt", .timestamp, "When that token ends", writer: "sign-in and refresh"),
    credential("refreshToken", .secret, "What gets the next tokens", writer: "sign-in and refresh"),
    credential("employeeId", .text, "The employee's number"),
    credential("plugin.<strategy>.<name>", .bytes, "What a strategy plugin keeps for itself", writer: "the plugin"),
    Key(
      name: "mfs.deviceId", type: .text, writer: "the first sign-in", removedBy: "logout --wipe",
      summary: "A random name for this device"),
    Key(
      name: "mfs.dbkey.<database>", type: .key, writer: "vault dbkey create", removedBy: "logout --wipe",
      summary: "The encryption key of a local database"),
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
      hint: suggestion.map { "did you mean '\($0)'?" } ?? "--uncatalogued takes any name")
  }
}
