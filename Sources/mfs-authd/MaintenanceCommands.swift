internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine
internal import SecureMemory

let migrateCommand = CommandSpec(
  "migrate", "bring the database to the format of this version",
  details: """
    Stop the server and make a backup first: an older version does not read the new format. A database that has it already is left as it \
    is; no other is touched while a server runs on it (exit 42).
    """)

func runMigrate(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let configuration = try Call.configuration(invocation)
  try Administration.checkThere(configuration)
  let found = try SQLiteStore.format(of: configuration.database), newest = SQLiteStore.newestFormat
  if found != newest {
    try SQLiteStore.withoutServers(configuration.database) { () throws(Failure) in
      _ = try SQLiteStore(path: configuration.database, migrate: true)
    }
  }
  if console.json {
    try console.document([
      "database": .string(configuration.database), "current": true, "from": .integer(found), "format": .integer(newest),
    ])
  } else if found == newest {
    console.note("the database has the format of this version")
  } else {
    console.note("brought the database from format \(found) to format \(newest)")
  }
  return .done
}

let backupCommand = CommandSpec(
  "backup", "copy the database, also beside a running server",
  details: """
    The copy is the database as it was at one moment, in a new file of mode 0600, in a folder that nobody else can change. It holds no \
    key in the clear: the key file is needed to use it, and is kept apart from it. The format does not matter: it is what to do before \
    'migrate'.
    """, operands: [OperandSpec(.file(), .one, "the new file")])

func runBackup(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  // The store is not opened: one of another format is copied as it is.
  let configuration = try Call.configuration(invocation), file = invocation.operands.first ?? ""
  try Administration.checkThere(configuration)
  try SQLiteStore.copy(configuration.database, to: file)
  if console.json {
    try console.document(["file": .string(file)])
  } else {
    console.note("copied the database to \(file)")
  }
  return .done
}

let afterRestoreCommand = CommandSpec(
  "after-restore", "end every sign-in, after a backup was put back",
  details: """
    To be run before the server starts again: with a server on the database it changes nothing and ends with 42, since a server signs with \
    the keys that it has read. What honest clients hold is newer than a restored database, and would look like stolen \
    tokens to it; ended sign-ins raise no alarm, and everybody signs in again. The signing keys are taken out of use and a new one signs at \
    once: so no access token of before counts, also of sign-ins that began after the backup. One record of the audit log says so. It needs \
    the key file, as 'serve' does.
    """)

func runAfterRestore(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let configuration = try Call.configuration(invocation)
  try Administration.checkThere(configuration)
  return try SQLiteStore.withoutServers(configuration.database) { () throws(Failure) in
    let call = try Call(invocation, console, configuration)
    let ended = try call.administration.endAfterRestore(try call.keyRing())
    return try call.done(
      ["ended": .number(ended)],
      """
      \(Call.count(ended, "sign-in")) ended, and no signing key of before is in use
      next: start the server; a resource server that keeps the set of keys has to fetch it again
      """)
  }
}
