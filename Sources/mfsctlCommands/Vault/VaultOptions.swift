internal import Basics
internal import CommandLine
internal import Vault

/// The options that several vault commands have.
enum VaultOptions {
  static let unlock: [OptionSpec] = [
    .value("key-file", .file(), "unlock with this file of 32 bytes"),
    .value("passphrase-fd", .integer("N", 0...1_048_576), "read the passphrase from this descriptor"),
    .value("passphrase-file", .file(), "read the passphrase from this file"),
    .value("passphrase-command", .text("CMD"), "read the passphrase from what this command prints"),
    .flag("allow-prompt", "let the desktop's keyring ask for its password"),
  ]
  static let write: [OptionSpec] = [
    .value("expect-generation", .integer("N", 0...Int.max), "change nothing unless the vault is at this generation"),
    lockTimeout,
  ]
  static let lockTimeout = OptionSpec.value(
    "lock-timeout", .integer("SECONDS", 0...86_400), "how long to wait for other writers (default: 10)")
  static let uncatalogued = OptionSpec.flag("uncatalogued", "take a name that the toolkit does not know")
  static let name = OperandSpec(.text("NAME"), .one, "the key, e.g. auth.sessionId")
  static let database = OperandSpec(.text("DATABASE"), .one, "the database's name, e.g. main")
  static let replace = OptionSpec.flag("replace", "replace a value that is there")

  /// What the command line says about the vault and how to unlock it.
  static func request(_ invocation: Invocation, _ environment: Environment) throws(Failure) -> VaultRequest {
    var unlock = UnlockOptions()
    unlock.keyFile = invocation.value("key-file")
    unlock.passphraseDescriptor = invocation.integer("passphrase-fd").flatMap { Int32(exactly: $0) }
    unlock.passphraseFile = invocation.value("passphrase-file")
    unlock.passphraseCommand = invocation.value("passphrase-command")
    return VaultRequest(
      profile: try invocation.profile(), directories: try Directories(environment: environment),
      environment: environment, unlock: unlock, lockTimeout: invocation.integer("lock-timeout") ?? 10,
      allowPrompt: invocation.flag("allow-prompt"))
  }
}
