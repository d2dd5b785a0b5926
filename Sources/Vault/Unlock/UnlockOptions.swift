public import Basics
internal import SecureMemory

/// The ways to unlock that a command line names. The first of all ways that is given is the one that counts; when it
/// fails, no other is tried.
public struct UnlockOptions: Sendable {
  /// The path of a key file.
  public var keyFile: String?
  /// A descriptor to read the passphrase from.
  public var passphraseDescriptor: Int32?
  /// The path of a file that holds the passphrase.
  public var passphraseFile: String?
  /// A command for `sh -c` that prints the passphrase.
  public var passphraseCommand: String?

  /// No way named.
  public init() {}

  static let passphraseLimit = 65_536

  /// The ways in the order in which they are looked for.
  enum Way: Equatable {
    case keyFile(String)
    case descriptor(Int32)
    case passphraseFile(String)
    case credential(String)
    case command(String)
  }

  /// The first way that is given, short of asking.
  func way(_ environment: Environment) throws(Failure) -> Way? {
    if let keyFile { return .keyFile(keyFile) }
    if let passphraseDescriptor { return .descriptor(passphraseDescriptor) }
    if let passphraseFile { return .passphraseFile(passphraseFile) }
    if let folder = try environment.path("CREDENTIALS_DIRECTORY") {
      let path = folder + "/mfsctl.vault-key"
      if Files.exists(path) { return .credential(path) }
    }
    if let passphraseCommand { return .command(passphraseCommand) }
    return try environment.path("MFSCTL_VAULT_KEY_FILE").map { .keyFile($0) }
  }

  /// The secret of the first way that is given; nil when there is none. Throws ``FailureCode/vaultLocked`` when that way
  /// yields nothing, ``FailureCode/vaultWrongKey`` when what it yields cannot be a key, ``FailureCode/permissions`` when
  /// others could have read it.
  public func secret(environment: Environment) throws(Failure) -> UnlockSecret? {
    guard let way = try way(environment) else { return nil }
    return try UnlockOptions.secret(from: way)
  }

  /// What somebody at the terminal types. Throws ``FailureCode/vaultLocked`` when there is none, and
  /// ``FailureCode/vaultWrongKey`` for nothing.
  func typed(_ question: String) throws(Failure) -> UnlockSecret {
    let typed = try TerminalPrompt.ask(question, hidden: true, noTerminal: UnlockOptions.noWay)
    return .passphrase(SecureBox(try UnlockOptions.checkPassphrase(typed)))
  }

  /// The secret for a new vault: as ``secret(environment:)``, and else a passphrase that is asked for twice.
  public func newSecret(environment: Environment) throws(Failure) -> UnlockSecret {
    if let way = try way(environment) {
      do throws(Failure) { return try UnlockOptions.secret(from: way) } catch {
        guard case .keyFile(let path) = way, !Files.exists(path) else { throw error }
        throw Failure(
          error.code, "there is no key file \(OutsideText.clean(path, limit: 300)) to open the new vault with",
          hint: "--generate --key-file makes one")
      }
    }
    let noTerminal = Failure(
      .vaultLocked, "the new vault needs a way to unlock it, and there is no terminal to ask for a passphrase",
      hint: "give --generate --key-file F to make a key file; else \(UnlockOptions.ways)")
    let typed = try TerminalPrompt.askTwice("New passphrase", noTerminal: noTerminal)
    return .passphrase(SecureBox(try UnlockOptions.checkPassphrase(typed)))
  }

  private static func secret(from way: Way) throws(Failure) -> UnlockSecret {
    let limit = passphraseLimit
    switch way {
    case .keyFile(let path): return .keyFile(SecureBox(try KeyFile.read(path)))
    case .credential(let path): return .keyFile(SecureBox(try KeyFile.readCredential(path)))
    case .descriptor(let number):
      let input = try SecretInput.read(descriptor: number, limit: limit, what: "the passphrase")
      return .passphrase(SecureBox(try passphrase(input)))
    case .passphraseFile(let path):
      do throws(Failure) {
        let input = try SecretInput.read(file: path, limit: limit, what: "the passphrase file")
        return .passphrase(SecureBox(try passphrase(input)))
      } catch  where error == Failure(.notFound, "") {
        throw Failure(.vaultLocked, "cannot unlock the vault: \(error.message)")
      }
    case .command(let command):
      let input = try SecretInput.read(
        command: command, limit: limit, what: "the passphrase command", unsuccessful: .vaultLocked)
      return .passphrase(SecureBox(try passphrase(input)))
    }
  }

  private static func passphrase(_ input: consuming SecureBytes) throws(Failure) -> SecureBytes {
    try checkPassphrase(try SecretInput.droppingLineEnd(input))
  }

  private static func checkPassphrase(_ passphrase: consuming SecureBytes) throws(Failure) -> SecureBytes {
    guard passphrase.count > 0 else { throw Failure(.vaultWrongKey, "the passphrase is empty") }
    return passphrase
  }

  /// The failure when nothing was given and there is nobody to ask; it lists the ways.
  static let noWay = Failure(
    .vaultLocked, "the vault is locked, and there is no terminal to ask for its passphrase",
    hint: ways)

  /// The failure when nothing was given and no passphrase opens the vault.
  static let noKeyFile = Failure(
    .vaultLocked, "the vault is locked, and opens with a key file only",
    hint: "give --key-file F, or set MFSCTL_VAULT_KEY_FILE, or the credential mfsctl.vault-key in CREDENTIALS_DIRECTORY"
  )

  private static let ways =
    "give --key-file F, --passphrase-fd N, --passphrase-file F or --passphrase-command CMD, or set "
    + "MFSCTL_VAULT_KEY_FILE, or the credential mfsctl.vault-key in CREDENTIALS_DIRECTORY"
}
