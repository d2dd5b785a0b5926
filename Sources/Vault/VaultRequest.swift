public import Basics

/// Which vault, and how it may be unlocked: everything that a store needs to know.
public struct VaultRequest: Sendable {
  /// Whose vault.
  public let profile: ProfileName
  /// Where files are kept.
  public let directories: Directories
  /// The environment that names further ways to unlock.
  public let environment: Environment
  /// The ways to unlock that the command line names.
  public let unlock: UnlockOptions
  /// How many seconds to wait for other writers.
  public let lockTimeout: Int
  /// Whether a keyring may put up its own window to ask for its password.
  public let allowPrompt: Bool

  /// Which vault, and how it may be unlocked.
  public init(
    profile: ProfileName, directories: Directories, environment: Environment, unlock: UnlockOptions = UnlockOptions(),
    lockTimeout: Int = 10, allowPrompt: Bool = false
  ) {
    self.profile = profile
    self.directories = directories
    self.environment = environment
    self.unlock = unlock
    self.lockTimeout = lockTimeout
    self.allowPrompt = allowPrompt
  }

  /// The same vault with no way to unlock it, to look at it from outside.
  public var locked: VaultRequest {
    VaultRequest(
      profile: profile, directories: directories, environment: Environment([:]), lockTimeout: lockTimeout)
  }

  /// The folder of vault files.
  public var vaultDirectory: String { directories.data + "/vault" }
  /// The name of this profile's vault in that folder.
  public var fileName: String { "\(profile).mfsv" }
}
