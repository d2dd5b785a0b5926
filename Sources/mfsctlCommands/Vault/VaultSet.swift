internal import Basics
internal import CommandLine
internal import Glibc
internal import SecureMemory
internal import Vault

let vaultSetCommand = CommandSpec(
  "set", "set a value from stdin, a file or a descriptor",
  details: """
    The bytes are taken exactly; no bytes are a value too. When stdin is a terminal, the value is asked for twice and not \
    shown. A database's key is replaced with --replace only.
    """,
  options: [
    .value("from-file", .file(), "read the value from this file"),
    .value("from-fd", .integer("N", 0...1_048_576), "read the value from this descriptor"),
    .flag("trim", "drop one line end at the end of the value"),
    .value("max-size", .integer("BYTES", 0...16_777_216), "refuse a longer value (default: 1048576)"),
    VaultOptions.replace, VaultOptions.uncatalogued,
  ] + VaultOptions.write + VaultOptions.unlock,
  operands: [VaultOptions.name],
  examples: [.init("printf %s \"$ID\" | mfsctl vault set auth.sessionId", "takes what stdin gives")])

func vaultSet(_ call: VaultCall) throws(Failure) -> ExitCode {
  let name = try call.key()
  try checkSources(call.invocation)
  // Opened first: a value is not asked for in vain, and a wrong key is noticed before stdin is used up.
  let vault = try call.store.open()
  var value = try readValue(name, call)
  if call.invocation.flag("trim") { value = try SecretInput.droppingLineEnd(value) }
  if isText(name, size: value.count), unsafe value.withBytes({ unsafe $0.last == 0x0A }) {
    call.console.warn("the value of \(name) ends in a line end; --trim drops it")
  }
  let box = SecureBox(value)
  let generation = try vault.update(expectedGeneration: call.expectedGeneration) { contents throws(Failure) in
    try requireReplace(name, name.isDatabaseKey, contents, call)
    contents.set(name, try box.bytes.copy())
  }
  try reportSet(name, generation, call)
  return .done
}

/// Refuses to replace a value that must not be lost by mistake. Throws ``FailureCode/exists``.
func requireReplace(
  _ name: KeyName, _ isPrecious: Bool, _ contents: VaultContents, _ call: VaultCall
) throws(Failure) {
  guard isPrecious, contents[name] != nil, !call.invocation.flag("replace") else { return }
  throw Failure(.exists, "\(name) has a value already", hint: "--replace replaces it; the old one is lost")
}

func reportSet(_ name: KeyName, _ generation: UInt64, _ call: VaultCall) throws(Failure) {
  if call.console.json {
    try call.report { () throws(Failure) in
      try call.console.document(["name": .string(name.text), "generation": .number(generation)])
    }
  } else {
    call.console.note("set \(name) (generation \(generation))")
  }
}

private func checkSources(_ invocation: Invocation) throws(Failure) {
  let fromFile = invocation.value("from-file"), fromDescriptor = invocation.integer("from-fd")
  guard fromFile == nil || fromDescriptor == nil else {
    throw Failure(.usage, "--from-file and --from-fd contradict each other")
  }
  if fromFile == nil, let passphrase = invocation.integer("passphrase-fd"), passphrase == fromDescriptor ?? 0 {
    throw Failure(.usage, "the passphrase and the value cannot both come from descriptor \(passphrase)")
  }
}

private func readValue(_ name: KeyName, _ call: VaultCall) throws(Failure) -> SecureBytes {
  let limit = call.invocation.integer("max-size") ?? 1 << 20
  if let path = call.invocation.value("from-file") {
    let file = try FileDescriptor.open(path, flags: O_RDONLY | O_NOCTTY)
    let kind = try file.status().st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFIFO else {
      throw Failure(.usage, "\(OutsideText.clean(path, limit: 300)) is not a file")
    }
    return try SecretInput.read(descriptor: file.raw, limit: limit, what: "the value")
  }
  if let number = call.invocation.integer("from-fd").flatMap({ Int32(exactly: $0) }) {
    return try SecretInput.read(descriptor: number, limit: limit, what: "the value")
  }
  guard isatty(0) == 1 else { return try SecretInput.read(descriptor: 0, limit: limit, what: "the value") }
  return try TerminalPrompt.askTwice(
    "Value of \(name)", noTerminal: Failure(.usage, "there is no terminal to ask for the value"))
}

/// Whether a value is text, in which a line end at the end is most likely a mistake. A database's key of 32 bytes is none.
private func isText(_ name: KeyName, size: Int) -> Bool {
  guard KeyCatalogue.type(of: name) != .bytes else { return false }
  return !name.isDatabaseKey || size != 32
}
