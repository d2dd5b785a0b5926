internal import BackendAdmin
internal import Basics
internal import CommandLine
internal import SecureMemory

let configCommand = CommandSpec(
  "config", "check the configuration, or document it",
  subcommands: [
    CommandSpec(
      "check", "say all that is wrong with the configuration",
      details: """
        Checks the file and the environment as 'serve' does, and every file that they name: certificates, keys, roots, and the database with \
        its clients and keys; run it as the service's user, who must be able to read them. Before 'init' the key file and the database may be \
        missing, where it could make them. All that is wrong is said at once, in the order of the file: a fault hides no other one, but what follows \
        from it is not said besides, and what is inside a file shows once the file can be read. Whether ports are free shows at the start. \
        It asks the name service whether the hosts of the webhook and of a MFS_AUTHD_..._KEYS_URL that is not the usual one are private. Exit 1 when something is an error, 3 when the file \
        is no YAML or has a setting twice, 10 when there is no such file, 41 when it cannot be read.
        """,
      examples: [.init("mfs-authd --config config.yaml config check", "checks one file and the environment")]),
    CommandSpec("docs", "print the documentation of the settings as Markdown"),
  ])

func runConfigCheck(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try ProcessHardening.apply()
  let findings = try BackendConfiguration.checkAll(file: invocation.value("config"), environment: .current())
  let errors = findings.count(where: \.isError)
  if console.json {
    try console.document([
      "findings": .array(findings.map(\.json)), "errors": .number(errors),
      "warnings": .number(findings.count - errors),
    ])
  } else {
    for finding in findings { try console.line(finding.line + (finding.help.map { "\n  \($0)" } ?? "")) }
    if errors > 0, invocation.value("config") == nil, Environment.current()["MFS_AUTHD_CONFIG"] ?? "" == "" {
      console.note("note: no file was read; --config FILE or MFS_AUTHD_CONFIG names one")
    }
    if findings.isEmpty { console.note("nothing is wrong with the configuration") }
  }
  return errors == 0 ? .done : .found
}

func runConfigDocs(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  if console.json {
    try console.document(["text": .string(BackendConfiguration.document)])
  } else {
    try console.write(BackendConfiguration.document)
  }
  return .done
}
