internal import Basics
internal import CommandLine
internal import SecureMemory
internal import Vault

let vaultListCommand = CommandSpec(
  "list", "list the names in the vault, never the values", options: VaultOptions.unlock)

func vaultList(_ call: VaultCall) throws(Failure) -> ExitCode {
  let contents = try call.store.open().contents()
  if call.console.json {
    var names: [JSONValue] = []
    for name in contents.names {
      guard let entry = contents[name] else { continue }
      names.append([
        "name": .string(name.text), "type": .string(KeyCatalogue.type(of: name).rawValue),
        "bytes": .number(entry.value.count), "updatedAt": .string(entry.updatedAt.rfc3339),
      ])
    }
    try call.console.document(["names": .array(names), "generation": .number(contents.generation)])
    return .done
  }
  if contents.names.isEmpty { call.console.note("the vault is empty") }
  let width = contents.names.map(\.text.utf8.count).max() ?? 0
  for name in contents.names {
    guard let entry = contents[name] else { continue }
    let padding = String(repeating: " ", count: width - name.text.utf8.count)
    let type = KeyCatalogue.type(of: name).rawValue
    let typePadding = String(repeating: " ", count: max(0, 9 - type.utf8.count))
    let size = entry.value.count == 1 ? "1 byte" : "\(entry.value.count) bytes"
    try call.console.line("\(name)\(padding)  \(type)\(typePadding)  \(entry.updatedAt.rfc3339)  \(size)")
  }
  return .done
}
