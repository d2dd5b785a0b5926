/// Which reader's rules an env file is read by.
public enum Dialect: String, Sendable, CaseIterable {
  /// What an Expo app gets: Node 22's and 24's `util.parseEnv`, key names trimmed as JavaScript does, and the references
  /// of dotenv-expand 11.0.7 expanded once over all files.
  case expo
  /// Node 22's and 24's `util.parseEnv` and `--env-file` alone: no expansion, a byte order mark stays in the first key.
  case node

  /// Whether references such as `$NAME` are replaced.
  var expands: Bool { self == .expo }
}
