/// What went wrong, as a stable name (`vault.locked`) and the exit code it leads to. Open: a module may add codes, and
/// `table` lists those of the whole toolkit so that docs/CLI.md can be held to it.
public struct FailureCode: Hashable, Sendable {
  /// The dotted name that `--json` errors carry.
  public let name: String
  /// The exit code a command ends with.
  public let exit: ExitCode

  /// A code of its own name and exit code.
  public init(_ name: String, _ exit: ExitCode) {
    self.name = name
    self.exit = exit
  }
}

extension FailureCode {
  /// Wrong usage of a command or of an option.
  public static let usage = FailureCode("usage", .usage)
  /// A configuration file (catalog, profile, manifest, scenario) that cannot be used.
  public static let configuration = FailureCode("configuration", .configuration)
  /// Something named does not exist.
  public static let notFound = FailureCode("not-found", .notFound)
  /// Something is there already and would be replaced.
  public static let exists = FailureCode("exists", .exists)
  /// The profile has no vault yet.
  public static let vaultNotInitialised = FailureCode("vault.not-initialised", .notInitialised)
  /// No key was given for a locked vault, or the keyring is locked.
  public static let vaultLocked = FailureCode("vault.locked", .locked)
  /// A key or passphrase that opens no slot.
  public static let vaultWrongKey = FailureCode("vault.wrong-key", .wrongKey)
  /// The store behind the vault cannot be reached.
  public static let vaultBackendUnavailable = FailureCode("vault.backend-unavailable", .backendUnavailable)
  /// The backend asked for is not the one pinned for the profile.
  public static let vaultBackendMismatch = FailureCode("vault.backend-mismatch", .backendMismatch)
  /// A vault file that is cut short or is none.
  public static let vaultDamaged = FailureCode("vault.damaged", .damaged)
  /// A vault file whose authentication fails.
  public static let vaultTampered = FailureCode("vault.tampered", .tampered)
  /// A vault older than one seen before.
  public static let vaultRolledBack = FailureCode("vault.rolled-back", .rolledBack)
  /// A vault file of a newer format.
  public static let vaultNewerFormat = FailureCode("vault.newer-format", .newerFormat)
  /// A database that is damaged, or a file that is none of ours.
  public static let storeDamaged = FailureCode("store.damaged", .damaged)
  /// A database that a newer version made.
  public static let storeNewerFormat = FailureCode("store.newer-format", .newerFormat)
  /// A database of an older version, opened by somebody who did not ask to bring it forward.
  public static let storeOlderFormat = FailureCode("store.older-format", .configuration)
  /// The backend has no database yet, or it has no keys.
  public static let backendNotInitialised = FailureCode("backend.not-initialised", .notInitialised)
  /// A file or folder that others can write or read.
  public static let permissions = FailureCode("permissions", .permissions)
  /// A read or write that failed; nothing was changed.
  public static let inputOutput = FailureCode("io", .inputOutput)
  /// There is too little memory; nothing was changed.
  public static let outOfMemory = FailureCode("out-of-memory", .inputOutput)
  /// Another process held the lock for too long.
  public static let lockTimeout = FailureCode("lock-timeout", .lockTimeout)
  /// Some of the work was done; the report says what is left.
  public static let partial = FailureCode("partial", .partial)
  /// The server rejected the credentials.
  public static let credentialsRejected = FailureCode("session.credentials-rejected", .rejected)
  /// Only a person can go on: sign in again.
  public static let signInNeeded = FailureCode("session.sign-in-needed", .signInNeeded)
  /// The server could not be reached or did not answer sensibly; the session is kept.
  public static let network = FailureCode("session.network", .network)
  /// The server refused in a way that trying again will not change.
  public static let serverRefused = FailureCode("session.refused", .refused)
  /// A plugin that may not run.
  public static let pluginRefused = FailureCode("plugin.refused", .pluginRefused)
  /// A plugin that crashed, hung or broke its contract.
  public static let pluginFailed = FailureCode("plugin.failed", .pluginFailed)
  /// A password that does not open a file of the user's own, such as a signing key.
  public static let wrongPassword = FailureCode("wrong-password", .wrongKey)
  /// The user, or a signal, stopped it.
  public static let cancelled = FailureCode("cancelled", .cancelled)
  /// The app reads something else than a line of an env file means; the command goes on.
  public static let envMisread = FailureCode("env.misread", .done)
  /// A state that cannot be: a bug of ours.
  public static let bug = FailureCode("bug", .bug)

  /// All of the above: the codes that `--json` errors may carry.
  public static let table: [FailureCode] = [
    .usage, .configuration, .notFound, .exists, .vaultNotInitialised, .vaultLocked, .vaultWrongKey,
    .vaultBackendUnavailable, .vaultBackendMismatch, .vaultDamaged, .vaultTampered, .vaultRolledBack,
    .vaultNewerFormat, .storeDamaged, .storeNewerFormat, .storeOlderFormat, .backendNotInitialised, .permissions,
    .inputOutput, .outOfMemory, .lockTimeout, .partial, .credentialsRejected,
    .signInNeeded,
    .network, .serverRefused, .pluginRefused, .pluginFailed, .wrongPassword, .cancelled, .envMisread, .bug,
  ]
}
