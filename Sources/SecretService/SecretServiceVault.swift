public import Basics
public import Vault

/// A vault in the desktop's keyring, through the Secret Service (freedesktop.org's specification, draft 0.2) and
/// libsecret: one item per key and one that counts the changes (docs/SECRET-SERVICE.md has the layout).
///
/// The keyring changes one item at a time, so a change is first written down whole in an item of its own, then carried
/// out, then that item removed. A change that was cut short is finished by whoever opens the vault next.
public final class SecretServiceVault: VaultBackend {
  /// How to talk to the keyring.
  public struct Options: Sendable {
    /// How long one call may take.
    public var timeoutMilliseconds: Int32 = 5_000
    /// Whether a locked keyring may ask the user for its password.
    public var allowPrompt = false
    /// How long that question may stay open.
    public var promptMilliseconds: Int32 = 120_000
    /// How long to wait for another process's change.
    public var lockMilliseconds: Int32 = 10_000

    /// 5 s a call, no prompt, 10 s for the lock.
    public init() {}
  }

  let profile: ProfileName
  let directories: Directories
  let options: Options
  let keyring: Keyring

  init(_ profile: ProfileName, _ directories: Directories, _ options: Options, _ keyring: Keyring) {
    (self.profile, self.directories, self.options, self.keyring) = (profile, directories, options, keyring)
  }

  /// ``BackendKind/secretService``.
  public var kind: BackendKind { .secretService }

  /// Opens a profile's vault and finishes a change that was cut short.
  ///
  /// Throws ``FailureCode/vaultNotInitialised``; ``FailureCode/vaultLocked`` for a locked keyring, which it only
  /// unlocks with `options.allowPrompt`; ``FailureCode/vaultBackendUnavailable`` when there is no bus, no keyring or no
  /// answer in time; ``FailureCode/vaultDamaged`` when items are there without the one that makes them a vault.
  public static func open(
    profile: ProfileName, directories: Directories, options: Options = Options()
  ) throws(Failure) -> SecretServiceVault {
    let vault = try connect(profile, directories, options)
    if try !vault.keyring.search(key: ItemAttributes.journalKey).isEmpty { try vault.finishInterruptedChange() }
    if try vault.keyring.search(key: ItemAttributes.metadataKey).isEmpty {
      // Says whether there is nothing at all or something is missing.
      _ = try KeyringState(vault.keyring).contents(vault.keyring.attributes)
    }
    return vault
  }

  static func connect(
    _ profile: ProfileName, _ directories: Directories, _ options: Options
  ) throws(Failure) -> SecretServiceVault {
    let keyring = try Keyring.open(ItemAttributes(profile: profile), options)
    return SecretServiceVault(profile, directories, options, keyring)
  }

  /// Everything in the vault as it is now.
  public func contents() throws(Failure) -> VaultContents {
    // Two calls read the items, so a change of another process may fall between them; then they are read again.
    for _ in 0..<3 {
      let state = try KeyringState(keyring)
      if state.hasJournal { break }
      if try isStillSo(state) { return try state.contents(keyring.attributes) }
    }
    let lock = try takeLock()
    let state = try finishInterruptedChange(lock)
    return try state.contents(keyring.attributes)
  }

  /// Whether nothing changed while a state was read. The generation rises last in a change, and its journal goes after
  /// that; so if the same items are there after reading, the generation is the same after that, and no value is newer
  /// than it, then no change had begun or ended in between.
  private func isStillSo(_ state: KeyringState) throws(Failure) -> Bool {
    guard state.isWhole, Set(try keyring.search()) == state.paths else { return false }
    guard let metadata = state.metadata else { return true }
    guard state.isSettled else { return false }
    let paths = state.paths(of: ItemAttributes.metadataKey)
    return try keyring.items(at: paths).contains { $0.generation == metadata.generation }
  }

  /// Changes the vault under its lock; all or nothing, if need be with the help of the next one to open it.
  @discardableResult
  public func update(
    expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    let lock = try takeLock()
    let state = try finishInterruptedChange(lock)
    let contents = try state.contents(keyring.attributes)
    let before = contents.generation
    if let expectedGeneration, expectedGeneration != before {
      throw Failure(
        .vaultRolledBack, "the vault is at generation \(before), not \(expectedGeneration)",
        hint: "read it again and decide anew")
    }
    try edit(contents)
    guard !contents.changes.isEmpty, let metadata = state.metadata else { return before }
    let journal = try Journal(changesOf: contents, from: metadata)
    try begin(journal, lock)
    try carryOut(journal, from: state, lock)
    return journal.metadata.generation
  }

  func takeLock() throws(Failure) -> ProfileLock {
    try ProfileLock(profile, in: directories, milliseconds: options.lockMilliseconds)
  }
}
