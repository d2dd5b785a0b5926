internal import Basics
internal import CommandLine
internal import Vault

let vaultDatabaseKeyCreateCommand = CommandSpec(
  "create", "make the encryption key of a database",
  details: "A password of 43 characters with 256 random bits, or with --raw32 the 32 bytes themselves.",
  options: [
    .flag("raw32", "make a key of 32 bytes instead of a password"), .flag("show", "print the key"),
    VaultOptions.replace,
  ] + VaultOptions.write + VaultOptions.unlock,
  operands: [VaultOptions.database])

let vaultDatabaseKeyShowCommand = CommandSpec(
  "show", "print the encryption key of a database", options: VaultOptions.unlock, operands: [VaultOptions.database])

let vaultDatabaseKeyDeleteCommand = CommandSpec(
  "delete", "delete the encryption key of a database; what it encrypted cannot be read again",
  options: VaultOptions.write + VaultOptions.unlock, operands: [VaultOptions.database])

func vaultDatabaseKeyCreate(_ call: VaultCall) throws(Failure) -> ExitCode {
  let (database, name) = try call.database()
  let vault = try call.store.open()
  let raw = call.invocation.flag("raw32")
  var made: VaultContents.Entry?
  let generation = try vault.update(expectedGeneration: call.expectedGeneration) { contents throws(Failure) in
    try requireReplace(name, true, contents, call)
    contents.set(name, raw ? try DatabaseKey.random() : try DatabaseKey.randomPassword())
    made = contents[name]
  }
  if call.invocation.flag("show"), let made {
    try call.report { () throws(Failure) in try printSecret(made, labelled: "database", database, call.console) }
  } else if call.console.json {
    try call.report { () throws(Failure) in
      try call.console.document([
        "database": .string(database), "encoding": raw ? "base64" : "utf8", "value": nil,
        "generation": .number(generation),
      ])
    }
  } else {
    call.console.note("made the key of database '\(database)' (generation \(generation))")
  }
  return .done
}

func vaultDatabaseKeyShow(_ call: VaultCall) throws(Failure) -> ExitCode {
  let (database, name) = try call.database()
  let contents = try call.store.open().contents()
  guard let entry = contents[name] else { throw absent("key of database '\(database)'", call) }
  try printSecret(entry, labelled: "database", database, call.console)
  return .done
}

func vaultDatabaseKeyDelete(_ call: VaultCall) throws(Failure) -> ExitCode {
  try deleteKeys([try call.database().name], call)
  return .done
}

extension VaultCall {
  /// The database that the operand names, and its key's name.
  fileprivate func database() throws(Failure) -> (database: String, name: KeyName) {
    let database = invocation.operands.first ?? ""
    return (database, try DatabaseKey.name(database))
  }
}
