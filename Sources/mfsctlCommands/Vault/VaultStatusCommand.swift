internal import Basics
internal import CommandLine
internal import Vault

let vaultStatusCommand = CommandSpec(
  "status", "say what is known of the vault without opening it",
  details: """
    A key is tried only when one is named. The generation and the slots of a locked vault are what its file says, not \
    proved.
    """,
  options: VaultOptions.unlock)

func vaultStatus(_ call: VaultCall) throws(Failure) -> ExitCode {
  let status = try call.store.status()
  if call.console.json {
    try call.console.document(vaultStatusDocument(status, call))
    return .done
  }
  var rows = [("profile", call.request.profile.text), ("backend", call.store.kind.rawValue)]
  if let file = status.file { rows.append(("file", OutsideText.clean(file, limit: 300))) }
  if status.initialised {
    rows.append(("locked", status.locked ? "yes" : "no"))
    if let generation = status.generation { rows.append(("generation", String(generation))) }
    for slot in status.slots {
      let label = slot.label.isEmpty ? "" : " \(OutsideText.clean(slot.label, limit: 64))"
      rows.append(("slot", "\(slot.id) \(slot.typeName)\(label)"))
    }
  } else {
    rows.append(("vault", "none yet; 'mfsctl vault init' makes one"))
  }
  for (name, value) in rows {
    try call.console.line(name + String(repeating: " ", count: max(1, 12 - name.count)) + value)
  }
  return .done
}

func vaultStatusDocument(_ status: VaultStatus, _ call: VaultCall) -> JSONValue {
  [
    "profile": .string(call.request.profile.text), "backend": .string(call.store.kind.rawValue),
    "initialised": .bool(status.initialised), "locked": .bool(status.locked),
    "generation": status.generation.map { .number($0) } ?? .null,
    "slots": .array(
      status.slots.map { ["id": .number($0.id), "type": .string($0.typeName), "label": .string($0.label)] }),
    "file": .optional(status.file),
  ]
}
