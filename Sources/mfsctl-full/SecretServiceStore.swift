internal import Basics
internal import SecretService
internal import Vault

/// The place of a vault that is kept in the desktop's keyring.
final class SecretServiceStore: VaultStore {
  private let request: VaultRequest
  private var options = SecretServiceVault.Options()

  /// The place that a request names.
  init(_ request: VaultRequest) {
    self.request = request
    options.allowPrompt = request.allowPrompt
    options.lockMilliseconds = Int32(clamping: request.lockTimeout * 1_000)
  }

  var kind: BackendKind { .secretService }

  /// The keyring's own password protects it: there are no slots, and no secret is asked for.
  func create(_ plan: VaultCreation) throws(Failure) {
    try ProfileSettings.require(kind, request)
    _ = try SecretServiceVault.initialise(
      profile: request.profile, directories: request.directories, options: options)
  }

  func status() throws(Failure) -> VaultStatus {
    let status = try SecretServiceVault.status(profile: request.profile, options: options)
    return VaultStatus(initialised: status.isInitialised, locked: status.isLocked, generation: status.generation)
  }

  func open() throws(Failure) -> any VaultBackend {
    try ProfileSettings.require(kind, request)
    return try SecretServiceVault.open(profile: request.profile, directories: request.directories, options: options)
  }

  func destroy() throws(Failure) -> Bool {
    try SecretServiceVault.destroy(profile: request.profile, directories: request.directories, options: options)
  }
}
