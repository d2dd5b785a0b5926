public import Basics
internal import SecureMemory
internal import Vault

extension SecretServiceVault {
  /// What can be said of a profile's vault, locked or not.
  public struct Status: Sendable, Equatable {
    /// Whether there is a vault.
    public let isInitialised: Bool
    /// Whether the keyring is locked; then nothing but its presence is known.
    public let isLocked: Bool
    /// The vault's generation; nil when there is none or the keyring is locked.
    public let generation: UInt64?
    /// How many values there are; nil like the generation.
    public let count: Int?
  }

  /// Makes a profile's vault, empty, at generation 1.
  ///
  /// Throws ``FailureCode/exists`` when there is one, ``FailureCode/vaultDamaged`` when there are items left of one, and
  /// what ``open(profile:directories:options:)`` throws of the keyring.
  public static func initialise(
    profile: ProfileName, directories: Directories, options: Options = Options()
  ) throws(Failure) -> SecretServiceVault {
    let vault = try connect(profile, directories, options)
    let lock = try vault.takeLock()
    let state = try vault.finishInterruptedChange(lock)
    guard state.paths.isEmpty else {
      // Says it when the metadata is missing or unreadable.
      _ = try state.contents(vault.keyring.attributes)
      throw Failure(
        .exists, "profile \(profile) has a vault in the keyring already",
        hint: "empty it with 'mfsctl vault logout --wipe'")
    }
    let journal = Journal(kind: .change, metadata: try .new(), removed: [], set: [])
    try vault.begin(journal, lock)
    try vault.carryOut(journal, from: state, lock)
    return vault
  }

  /// What there is, without finishing or unlocking anything. Throws ``FailureCode/vaultBackendUnavailable``.
  public static func status(
    profile: ProfileName, options: Options = Options()
  ) throws(Failure) -> Status {
    let keyring = try Keyring.connect(ItemAttributes(profile: profile), options)
    let isLocked = try keyring.isLocked()
    let found = try keyring.searchEvenLocked(key: ItemAttributes.metadataKey)
    let isInitialised = !found.locked.isEmpty || !found.unlocked.isEmpty
    guard !isLocked, isInitialised else {
      return Status(isInitialised: isInitialised, isLocked: isLocked, generation: nil, count: nil)
    }
    let contents = try KeyringState(keyring).contents(keyring.attributes)
    return Status(isInitialised: true, isLocked: false, generation: contents.generation, count: contents.entries.count)
  }

  /// Removes every item of a profile, the vault itself included, and says whether there were any. Readable or not,
  /// whole or not: it needs no more than an unlocked keyring.
  @discardableResult
  public static func destroy(
    profile: ProfileName, directories: Directories, options: Options = Options()
  ) throws(Failure) -> Bool {
    let vault = try connect(profile, directories, options)
    let lock = try vault.takeLock()
    guard try !vault.keyring.search().isEmpty else { return false }
    let journal = Journal(kind: .destroy, metadata: try .new(), removed: [], set: [])
    try vault.begin(journal, lock)
    try vault.carryOutDestruction(lock)
    return true
  }
}
