internal import AuthBackend
internal import BackendAdmin
internal import BackendKeys
internal import BackendStore
internal import Basics
internal import CommandLine
internal import SecureMemory

/// A command that works on the store of the configuration.
struct Call {
  let invocation: Invocation
  let console: Console
  let configuration: BackendConfiguration
  let administration: Administration

  var store: any AuthStore { administration.store }

  /// Reads the configuration and opens the store.
  init(_ invocation: Invocation, _ console: Console) throws(Failure) {
    try ProcessHardening.apply()
    self.invocation = invocation
    self.console = console
    configuration = try Call.configuration(invocation)
    administration = Administration(
      store: try Administration.open(configuration), settings: configuration.backend)
  }

  static func configuration(_ invocation: Invocation) throws(Failure) -> BackendConfiguration {
    try BackendConfiguration.load(file: invocation.value("config"), environment: .current())
  }

  /// The operand at a place; the declarations see to it that it is there.
  func operand(_ index: Int) -> String { invocation.operands.indices.contains(index) ? invocation.operands[index] : "" }

  func keyRing() throws(Failure) -> KeyRing {
    try KeyRing(store: AuditedKeys(store, by: "administrator"), sealer: try sealer(), settings: configuration.keys)
  }

  func peppers() throws(Failure) -> Peppers {
    try Peppers(store: AuditedKeys(store, by: "administrator"), sealer: try sealer(), settings: configuration.peppers)
  }

  private func sealer() throws(Failure) -> Sealer { try UnlockKey.sealer(configuration) }

  /// Prints a list: one JSON document with an array, or lines; without any, a note.
  func list<T>(
    _ name: String, _ items: [T], document: (T) -> JSONValue, line: (T) -> String
  ) throws(Failure) -> ExitCode {
    if console.json {
      try console.document([name: .array(items.map(document))])
      return .done
    }
    if items.isEmpty { console.note("there are no \(name)") }
    for item in items { try console.line(OutsideText.clean(line(item), limit: 2_000)) }
    return .done
  }

  /// Says what was done: one JSON document, or a note.
  func done(_ document: JSONValue, _ note: String) throws(Failure) -> ExitCode {
    if console.json { try console.document(document) } else { console.note(note) }
    return .done
  }

  static func count(_ number: Int, _ what: String) -> String { number == 1 ? "1 \(what)" : "\(number) \(what)s" }
}

/// A password: from a file, from stdin, or asked for twice on a terminal.
enum PasswordInput {
  static let option = OptionSpec.value(
    "password-file", .file(), "read the password from this file instead of stdin; one line end at its end is dropped")

  static func read(_ call: Call) throws(Failure) -> SecureBox {
    let limit = PasswordHash.limit + 2
    if let file = call.invocation.value("password-file") {
      let read = try SecretInput.read(
        file: file, limit: limit, what: "the password file", credentials: call.configuration.credentials)
      return SecureBox(try SecretInput.droppingLineEnd(read))
    }
    if TerminalInput.isTerminal {
      return SecureBox(
        try TerminalPrompt.askTwice(
          "Password", noTerminal: Failure(.usage, "there is no terminal to ask for the password")))
    }
    let read = try SecretInput.read(descriptor: 0, limit: limit, what: "the password")
    return SecureBox(try SecretInput.droppingLineEnd(read))
  }
}
