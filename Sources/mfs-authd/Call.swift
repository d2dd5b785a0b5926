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
    try self.init(invocation, console, Call.configuration(invocation))
  }

  /// Opens the store of a configuration that was read.
  init(_ invocation: Invocation, _ console: Console, _ configuration: BackendConfiguration) throws(Failure) {
    self.invocation = invocation
    self.console = console
    self.configuration = configuration
    administration = Administration(
      store: try Administration.open(configuration), settings: configuration.backend)
  }

  /// Reads the configuration, which may hold secrets, in a process that nobody else can look into.
  static func configuration(_ invocation: Invocation) throws(Failure) -> BackendConfiguration {
    try ProcessHardening.apply()
    return try BackendConfiguration.load(file: invocation.value("config"), environment: .current())
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

  /// Prints a list: one JSON document with an array, or lines of columns; without any, a note. On a terminal the columns are aligned below a
  /// line that says what they are. Elsewhere those that have nothing are left out, and a word before a moment says which it is.
  func list<T>(
    _ name: String, _ items: [T], columns: [String], document: (T) -> JSONValue, row: (T) -> [String?]
  ) throws(Failure) -> ExitCode {
    if console.json {
      try console.document([name: .array(items.map(document))])
      return .done
    }
    if items.isEmpty { console.note("there are no \(name)") }
    let rows = items.map { row($0).map { $0.map { OutsideText.clean($0, limit: 500) } } }
    guard console.outputIsTerminal else {
      for row in rows {
        let cells = zip(columns, row).compactMap { column, text in
          text.map { Call.moments.contains(column) ? "\(column.lowercased()) \($0)" : $0 }
        }
        try console.line(cells.joined(separator: "  "))
      }
      return .done
    }
    // Something in every column.
    let cells = rows.map { row in columns.indices.map { row.indices.contains($0) ? row[$0] ?? "-" : "-" } }
    for line in Call.aligned(items.isEmpty ? [] : [columns] + cells) { try console.line(line) }
    return .done
  }

  /// The columns of moments that mean nothing without the word.
  private static let moments: Set<String> = ["SINCE", "FROM", "UNTIL"]

  /// Rows as lines, in which each column but the last is as wide as its widest cell.
  static func aligned(_ rows: [[String?]]) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { column < $0.count ? ($0[column] ?? "-").count : 0 }.max() ?? 0
    }
    return rows.map { row in
      zip(row, widths).enumerated().map { index, cell in
        let text = cell.0 ?? (index == row.count - 1 ? "" : "-")
        return index == row.count - 1 ? text : padded(text, cell.1)
      }.joined(separator: "  ")
    }
  }

  /// A cell that is at least so wide.
  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// The names of users by their ids, each asked for once; one that is gone has none.
  func names(of users: [String]) throws(Failure) -> [String: String] {
    var names: [String: String] = [:]
    for id in Set(users) { names[id] = try store.user(id: id)?.name }
    return names
  }

  /// The document of a record of a user's, with the user's name.
  static func document(_ record: JSONValue, _ name: String?) -> JSONValue {
    .object((record.members ?? []) + [.init("userName", .optional(name))])
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
  static let details =
    "The password is all of stdin, without one line end at its end; on a terminal it is asked for twice."

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
