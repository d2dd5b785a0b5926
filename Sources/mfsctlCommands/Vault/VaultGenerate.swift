internal import Basics
internal import CommandLine
internal import SecureMemory
internal import Vault

let vaultGenerateCommand = CommandSpec(
  "generate", "set a value to a random password of 43 characters, and do not show it",
  options: [VaultOptions.replace, VaultOptions.uncatalogued] + VaultOptions.write + VaultOptions.unlock,
  operands: [VaultOptions.name])

func vaultGenerate(_ call: VaultCall) throws(Failure) -> ExitCode {
  let name = try call.key()
  let vault = try call.store.open()
  let generation = try vault.update(expectedGeneration: call.expectedGeneration) { contents throws(Failure) in
    try requireReplace(name, true, contents, call)
    contents.set(name, try DatabaseKey.randomPassword())
  }
  try reportSet(name, generation, call)
  return .done
}
