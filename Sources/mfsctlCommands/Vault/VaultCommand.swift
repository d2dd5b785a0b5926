internal import Basics
public import CommandLine
internal import Vault

let vaultCommand = CommandSpec(
  "vault", "keep the enclave keys of a device build",
  details: """
    Values are bytes under a name. They are kept in one sealed file, or in the desktop's Secret Service; which, is settled \
    once, by 'init'. The first way to unlock that is given counts: --key-file, --passphrase-fd, --passphrase-file, the \
    credential mfsctl.vault-key in CREDENTIALS_DIRECTORY, --passphrase-command, MFSCTL_VAULT_KEY_FILE, a prompt.

    A passphrase command is run by 'sh -c' and prints at most 65536 bytes. It may ask on the terminal, and Ctrl-C ends it \
    and all that it started; where there is no terminal it has 60 seconds.
    """,
  subcommands: [
    vaultInitCommand, vaultStatusCommand, vaultListCommand, vaultGetCommand, vaultSetCommand, vaultDeleteCommand,
    vaultGenerateCommand, vaultLogoutCommand,
    CommandSpec(
      "dbkey", "keep the encryption keys of local databases",
      subcommands: [vaultDatabaseKeyCreateCommand, vaultDatabaseKeyShowCommand, vaultDatabaseKeyDeleteCommand]),
  ])

/// What runs the vault commands, by command path.
public func vaultHandlers(_ opener: BackendOpener) -> [String: Program.Handler] {
  [
    "vault init": opener.handler(vaultInit, kind: kindToMake),
    "vault status": opener.handler(vaultStatus),
    "vault list": opener.handler(vaultList),
    "vault get": opener.handler(vaultGet),
    "vault set": opener.handler(vaultSet),
    "vault delete": opener.handler(vaultDelete),
    "vault generate": opener.handler(vaultGenerate),
    "vault logout": opener.handler(vaultLogout),
    "vault dbkey create": opener.handler(vaultDatabaseKeyCreate),
    "vault dbkey show": opener.handler(vaultDatabaseKeyShow),
    "vault dbkey delete": opener.handler(vaultDatabaseKeyDelete),
  ]
}

private func kindToMake(_ invocation: Invocation, _ request: VaultRequest) throws(Failure) -> BackendKind {
  invocation.value("backend").flatMap { BackendKind(rawValue: $0) } ?? .file
}
