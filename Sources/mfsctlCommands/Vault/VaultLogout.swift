public import Basics
internal import CommandLine
public import Vault

let vaultLogoutCommand = CommandSpec(
  "logout", "remove the credentials, here only",
  details: """
    Removes every auth.* value in one change and keeps the rest. --wipe removes everything and leaves an empty vault with \
    its slots; a vault that no key here opens, or that is damaged, is then removed as a whole, the databases' keys (mfs.dbkey.*) with \
    it. A passphrase that is typed wrong is asked for again, three times in all. No server is told: \
    'mfsctl session logout' does that too.
    """,
  options: [
    .flag("wipe", "remove every value, the databases' keys too"),
    .flag("dry-run", "say what would be done, and change nothing"),
  ] + VaultOptions.write + VaultOptions.unlock)

func vaultLogout(_ call: VaultCall) throws(Failure) -> ExitCode {
  let (console, isDryRun) = (call.console, call.invocation.flag("dry-run"))
  let logout = Logout(
    wipe: call.invocation.flag("wipe"), dryRun: isDryRun, expectedGeneration: call.expectedGeneration)
  let report = try logout.run(call.store, isPinned: try ProfileSettings.load(call.request) != nil)
  if isDryRun {
    try printReport(report, would: "would be ", console)
  } else {
    try call.report { () throws(Failure) in try printReport(report, would: "", console) }
  }
  if let note = report.destructionNote(isDryRun: isDryRun) { console.warn(note) }
  console.note(report.serverNote(isDryRun: isDryRun))
  console.detail("\(report.erase.level): \(report.erase.text)")
  return .done
}

private func printReport(_ report: Logout.Report, would: String, _ console: Console) throws(Failure) {
  if console.json { return try console.document(report.document(server: "not-told")) }
  for name in report.deleted { try console.line("\(would)deleted  \(name)") }
  for name in report.kept { try console.line("\(would)kept     \(name)") }
  if report.destroyed {
    try console.line("the vault \(would.isEmpty ? "is " : would)removed as a whole: no key opens it")
  }
}

extension Logout.Report {
  /// What to say of the server, which this command never tells. After the credentials are gone, nobody here can.
  fileprivate func serverNote(isDryRun: Bool) -> String {
    if isDryRun { return "the server would not be told; 'mfsctl session logout' tells it too" }
    guard destroyed || deleted.contains(where: \.isCredential) else {
      return "there were no credentials here, so there was nothing to tell a server"
    }
    return "the server was not told, and cannot be told from here any more; next time, "
      + "'mfsctl session logout' does both"
  }

  /// What to say of a vault that was removed as a whole, or would be; nil for one that was not.
  public func destructionNote(isDryRun: Bool) -> String? {
    guard destroyed else { return nil }
    let reason = obstacle.map { "it could not be opened (\($0.message))" } ?? "it could not be opened"
    return isDryRun
      ? "the whole vault would be removed, because \(reason): every value in it would be gone, every mfs.dbkey.* too, and "
        + "what those encrypt could not be read again"
      : "the whole vault is removed, because \(reason): every value in it is gone, every mfs.dbkey.* too, and what those "
        + "encrypt cannot be read again"
  }

  /// The document of docs/CLI.md; `server` says whether the servers were told, `reached` which of them.
  public func document(server: String, reached: JSONValue? = nil) -> JSONValue {
    let document: JSONValue = [
      "wiped": .bool(wiped), "destroyed": .bool(destroyed), "deleted": .strings(deleted.map(\.text)),
      "kept": .strings(kept.map(\.text)), "generation": generation.map { .number($0) } ?? .null,
      "server": .string(server), "erase": ["level": .string(erase.level), "text": .string(erase.text)],
    ]
    guard let reached, case .object(let members) = document else { return document }
    return .object(members + [JSONValue.Member("report", reached)])
  }
}
