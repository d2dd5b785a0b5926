public import Basics
public import Vault

/// The place of a vault in the desktop's keyring. It has no slots: the keyring's own password unlocks it.
public final class SecretServiceStore: VaultStore {
  private let request: VaultRequest

  /// The place that a request names; nothing is asked of the keyring yet.
  public init(_ request: VaultRequest) { self.request = request }

  /// ``BackendKind/secretService``.
  public var kind: BackendKind { .secretService }

  private var options: SecretServiceVault.Options {
    var options = SecretServiceVault.Options()
    options.allowPrompt = request.allowPrompt
    options.lockMilliseconds = Int32(clamping: Int64(request.lockTimeout) * 1_000)
    return options
  }

  /// Makes an empty vault; the plan's slot is for stores that have slots. A new vault that no profile is pinned to yet
  /// is what a maker leaves who was stopped before the pin; it is taken as it is.
  public func create(_ plan: VaultCreation) throws(Failure) {
    try ProfileSettings.require(kind, request)
    do throws(Failure) {
      _ = try SecretServiceVault.initialise(
        profile: request.profile, directories: request.directories, options: options)
    } catch  where error.code == .exists {
      let contents = try open().contents()
      guard contents.generation == 1, contents.entries.isEmpty, try ProfileSettings.load(request) == nil else {
        throw error
      }
    } catch  where error.code == .vaultBackendUnavailable {
      // Only here is there a choice: a profile that has a vault keeps its backend.
      guard try ProfileSettings.load(request) == nil else { throw error }
      throw Failure(
        error.code, error.message,
        hint: (error.hint.map { "\($0); " } ?? "") + "or keep the new vault in a file: 'mfsctl vault init'")
    }
  }

  /// What can be said of the vault without unlocking anything.
  public func status() throws(Failure) -> VaultStatus {
    let status = try SecretServiceVault.status(profile: request.profile, options: options)
    return VaultStatus(initialised: status.isInitialised, locked: status.isLocked, generation: status.generation)
  }

  /// Opens the vault, and finishes a change that was cut short.
  public func open() throws(Failure) -> any VaultBackend {
    try ProfileSettings.require(kind, request)
    return try SecretServiceVault.open(profile: request.profile, directories: request.directories, options: options)
  }

  /// Removes every item of the profile, readable or not; the keyring must be unlocked for it.
  public func destroy() throws(Failure) -> Bool {
    try SecretServiceVault.destroy(profile: request.profile, directories: request.directories, options: options)
  }
}
