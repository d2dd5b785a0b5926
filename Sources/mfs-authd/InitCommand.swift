internal import BackendAdmin
internal import Basics
internal import CommandLine
internal import SecureMemory

let initCommand = CommandSpec(
  "init", "make the key file, the database and the first keys",
  details: """
    The key file opens the server's keys in the database. It is made with mode 0600 where it is missing; with a systemd credential \
    there is none to make. Keep a copy of it apart from the backups of the database.
    """,
  examples: [.init("mfs-authd --config /etc/mfs-authd/config.yaml init", "makes what the configuration names")])

func runInit(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try ProcessHardening.apply()
  let configuration = try Call.configuration(invocation)
  let made = try Administration.initialise(configuration)
  if console.json {
    try console.document([
      "database": .string(configuration.database), "keyFile": .optional(configuration.keyFile),
      "madeKeyFile": .bool(made.madeKeyFile), "keys": .array(made.keys.map(\.document)),
    ])
  } else {
    console.note("made the database \(OutsideText.clean(configuration.database, limit: 300)) and its first keys")
    if made.madeKeyFile, let file = configuration.keyFile {
      console.note("made the key file \(OutsideText.clean(file, limit: 300)): keep a copy of it apart from the backups")
    }
    console.note("next: 'mfs-authd client add' or 'client import', 'mfs-authd user add', then 'mfs-authd serve'")
  }
  return .done
}
