internal import Basics
internal import CommandLine
internal import HTTPClient
internal import Session
internal import Settings
internal import mfsctlCommands

extension SessionConfiguration {
  /// The settings that say how to sign in. Others may be wrong without a sign-in being so.
  private static let keys: Set<String> = [
    "EXPO_PUBLIC_AUTH_STRATEGY", "EXPO_PUBLIC_SG_URL", "EXPO_PUBLIC_SG_DB", "EXPO_PUBLIC_OIDC_ISSUER",
    "EXPO_PUBLIC_OIDC_CLIENT_ID", "EXPO_PUBLIC_OIDC_SCOPES", "EXPO_PUBLIC_AUTH_BEARER_ON_REPL",
    "EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC", "EXPO_PUBLIC_OIDC_EMPLOYEE_CLAIM", "EXPO_PUBLIC_OIDC_CODE_EXCHANGE",
    "EXPO_PUBLIC_OIDC_GATEWAY_PROVIDER", "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT", "EXPO_PUBLIC_SG_PROFILE_DOC",
  ]

  /// Those that a replicator is built with beside these.
  private static let replicatorKeys: Set<String> = ["EXPO_PUBLIC_REPLICATION_COLLECTIONS"]

  /// What the settings of the app's folder say, resolved exactly as `env resolve` does. Throws
  /// ``FailureCode/configuration`` when they cannot be used to sign in, an address that sends passwords in the clear
  /// among them.
  static func resolved(_ invocation: Invocation, _ environment: Environment) throws(Failure) -> SessionConfiguration {
    let mode = try invocation.mode()
    let catalog = try invocation.catalog()
    let resolution = try Resolution.load(
      directory: invocation.directory, mode: mode, dialect: invocation.dialect, catalog: catalog,
      environment: environment)
    if let (file, failure) = resolution.unreadable.first {
      throw Failure(.configuration, "\(OutsideText.clean(file)) cannot be read: \(failure.message)", hint: failure.hint)
    }
    var given: [String: String] = [:]
    var values: [String: String] = [:]
    for value in resolution.values {
      values[value.key] = value.value
      if value.origin != .defaultValue { given[value.key] = value.value }
    }
    let keys = invocation.path.first == "replicator" ? keys.union(replicatorKeys) : keys
    let errors = catalog.problems(in: given, mode: mode).filter { $0.severity == .error && keys.contains($0.key) }
    if let first = errors.first {
      let hint = [first.help, "see 'mfsctl env lint'"].compactMap { $0 }.joined(separator: "; ")
      throw Failure(.configuration, first.message, hint: hint)
    }
    var origins: [String] = []
    // Where tokens are revoked is no service that takes them.
    for setting in catalog.settings where setting.name != "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT" {
      guard case .url = setting.type, let value = values[setting.name], let origin = HTTPOrigin(of: value) else {
        continue
      }
      origins.append(origin.description)
    }
    return try SessionConfiguration(settings: values, origins: origins)
  }
}
