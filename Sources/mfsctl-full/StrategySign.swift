internal import Basics
internal import CommandLine
internal import SecureMemory
internal import StrategyHost

/// `strategy sign`: signs a library and its manifest.
func signStrategy(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let key = try MinisignSecretKey(file: invocation.value("secret-key") ?? "") { () throws(Failure) in
    try signingPassword(invocation)
  }
  let path = try StrategySigning.sign(file: invocation.operands.first ?? "", with: key)
  if console.json {
    try console.document([
      "file": .string(path), "keyID": .optional(key.publicKey?.idText),
      "publicKey": .optional(key.publicKey?.description),
    ])
  } else {
    try console.line(OutsideText.clean(path, limit: 400))
    if let id = key.publicKey?.idText { console.note("signed with the key \(id)") }
  }
  return .done
}

private func signingPassword(_ invocation: Invocation) throws(Failure) -> SecureBytes {
  if let number = invocation.integer("password-fd").flatMap({ Int32(exactly: $0) }) {
    return try SecretInput.droppingLineEnd(
      try SecretInput.read(descriptor: number, limit: 4_096, what: "the key's password"))
  }
  if let path = invocation.value("password-file") {
    return try SecretInput.droppingLineEnd(
      try SecretInput.read(file: path, limit: 4_096, what: "the password file"))
  }
  return try TerminalPrompt.ask(
    "Password of the secret key: ", hidden: true,
    noTerminal: Failure(
      .usage, "the secret key has a password, and there is no terminal to ask for it",
      hint: "give --password-fd N or --password-file FILE"))
}
