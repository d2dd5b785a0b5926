internal import Basics
internal import CommandLine
internal import Vault

let vaultDeleteCommand = CommandSpec(
  "delete", "delete values, all of them in one change",
  options: [VaultOptions.uncatalogued] + VaultOptions.write + VaultOptions.unlock,
  operands: [OperandSpec(.text("NAME"), .some, "the keys; one that is absent is fine")])

func vaultDelete(_ call: VaultCall) throws(Failure) -> ExitCode {
  try deleteKeys(try call.keys(), call)
  return .done
}

func deleteKeys(_ names: [KeyName], _ call: VaultCall) throws(Failure) {
  var deleted: [KeyName] = []
  var absent: [KeyName] = []
  let vault = try call.store.open()
  let generation = try vault.update(expectedGeneration: call.expectedGeneration) { contents throws(Failure) in
    for name in Set(names).sorted() {
      if contents.remove(name) { deleted.append(name) } else { absent.append(name) }
    }
  }
  try call.report { () throws(Failure) in
    if call.console.json {
      try call.console.document([
        "deleted": .strings(deleted.map(\.text)), "absent": .strings(absent.map(\.text)),
        "generation": .number(generation),
      ])
      return
    }
    for name in deleted { try call.console.line("deleted  \(name)") }
    for name in absent { try call.console.line("absent   \(name)") }
  }
}
