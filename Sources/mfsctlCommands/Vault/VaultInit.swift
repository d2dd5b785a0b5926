internal import Basics
internal import CommandLine
internal import SecureMemory
internal import Vault

let vaultInitCommand = CommandSpec(
  "init", "make a vault",
  details: """
    The backend is chosen here and stays. A file needs a way to unlock it: a passphrase, which is asked for when none is \
    given, or a key file, which --generate makes.
    """,
  options: [
    .value("backend", .choice(BackendKind.allCases.map(\.rawValue)), "where to keep the vault (default: file)"),
    .flag("generate", "make the file that --key-file names"),
    .value("kdf-time", .integer("MS", 1...60_000), "how long trying a passphrase takes here (default: about 90)"),
    VaultOptions.lockTimeout,
  ] + VaultOptions.unlock,
  examples: [
    .init("mfsctl vault init", "asks for a passphrase"),
    .init(
      "mfsctl vault init --generate --key-file build.key", "makes a key file, for machines without anybody to type"),
  ])

func vaultInit(_ call: VaultCall) throws(Failure) -> ExitCode {
  let (invocation, request, console) = (call.invocation, call.request, call.console)
  let keyFile = invocation.flag("generate") ? request.unlock.keyFile : nil
  if invocation.flag("generate"), keyFile == nil {
    throw Failure(.usage, "--generate needs --key-file", hint: "name the file to make")
  }
  if invocation.value("kdf-time") != nil, request.unlock.keyFile != nil {
    throw Failure(.usage, "--kdf-time is for passphrases; a key file needs none")
  }
  if call.store.kind != .file, keyFile != nil || invocation.value("kdf-time") != nil {
    throw Failure(.usage, "--generate and --kdf-time are for a vault in a file")
  }
  try ProfileSettings.requireNone(for: call.store.kind, request)
  let kdf = try invocation.integer("kdf-time").map { milliseconds throws(Failure) in
    try PassphraseKDF.calibrated(milliseconds: milliseconds)
  }
  var generated = false
  do throws(Failure) {
    try call.store.create(
      VaultCreation(kdf: kdf ?? .standard) { () throws(Failure) in
        if let keyFile {
          try KeyFile.generate(keyFile, hint: "leave --generate out to use it")
          generated = true
        }
        let secret = try request.unlock.newSecret(environment: request.environment)
        if case .passphrase(let passphrase) = secret, passphrase.bytes.count < 12 {
          console.warn("the passphrase is short; whoever gets the file can try many")
        }
        return secret
      })
    try ProfileSettings(backend: call.store.kind).save(request)
  } catch {
    // A key file that opens nothing would only stand in the way of the next try.
    if let keyFile, generated, !Files.exists(request.vaultDirectory + "/" + request.fileName) {
      KeyFile.remove(keyFile)
    }
    throw error
  }
  let status = try call.store.kind == .file ? FileVaultStore(request.locked).status() : call.store.status()
  try call.report { () throws(Failure) in
    if console.json { return try console.document(vaultStatusDocument(status, call)) }
    let place = status.file.map { ": " + OutsideText.clean($0, limit: 300) } ?? ""
    try console.line("made the vault of '\(request.profile)' in the backend '\(call.store.kind.rawValue)'\(place)")
  }
  return .done
}
