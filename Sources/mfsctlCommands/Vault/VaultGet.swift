internal import Basics
internal import CommandLine
internal import SecureMemory
internal import Vault

let vaultGetCommand = CommandSpec(
  "get", "print a value exactly",
  details: "The value goes to stdout as it is; only a terminal gets a line end after it.",
  options: [VaultOptions.uncatalogued] + VaultOptions.unlock, operands: [VaultOptions.name],
  examples: [.init("mfsctl vault get auth.sessionId --key-file build.key", "prints the session id")])

func vaultGet(_ call: VaultCall) throws(Failure) -> ExitCode {
  let name = try call.key()
  let contents = try call.store.open().contents()
  guard let entry = contents[name] else { throw absent(name.text, call) }
  try printSecret(entry, labelled: "name", name.text, call.console)
  return .done
}

func absent(_ name: String, _ call: VaultCall) -> Failure {
  Failure(
    .notFound, "the vault of '\(call.request.profile)' holds no \(name)",
    hint: "'mfsctl vault list' shows what it holds")
}

/// Prints a value from guarded memory: as it is, or as a JSON object whose first member says what it belongs to.
func printSecret(
  _ entry: VaultContents.Entry, labelled label: String, _ name: String, _ console: Console
) throws(Failure) {
  if console.json {
    let document = try SecretDocument.make(entry.value, label: label, name: name)
    try unsafe document.withBytes { bytes throws(Failure) in try unsafe console.write(bytes: bytes) }
    return
  }
  try unsafe entry.value.withBytes { bytes throws(Failure) in try unsafe console.write(bytes: bytes) }
  if console.outputIsTerminal { try console.write("\n") }
}
