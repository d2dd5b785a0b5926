internal import SecretService
internal import mfsctlCommands

extension BackendOpener {
  /// Vaults in files and in the Secret Service, both in this process.
  static var everyBackend: BackendOpener { .linked { SecretServiceStore($0) } }
}
