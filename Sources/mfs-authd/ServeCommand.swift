internal import AuthBackend
internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine
internal import Glibc
internal import SecureMemory

let serveCommand = CommandSpec(
  "serve", "run the server until SIGTERM or SIGINT",
  details: """
    When it can be reached it prints one line of JSON on stdout: issuer, listen, metrics, database, version, pid. The log goes to \
    stderr, a JSON object on each line, without secrets, tokens and queries.

    On SIGHUP it reads the TLS certificate and its key again: who connects afterwards is shown them, and connections that are open \
    stay. A pair that cannot be used is an alert, and the one before it stays.

    On SIGTERM it takes no new connections, answers what was sent already, and ends with 0.
    """,
  options: [.flag("until-stdin-closes", "stop when standard input ends, as it does when the program behind it ends")])

func runServe(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try ProcessHardening.apply()
  // Before any thread starts, so that signals come to this one only and none is lost.
  let signals = StopSignals()
  let configuration = try Call.configuration(invocation)
  DescriptorLimit.raise()
  let sealer = try UnlockKey.sealer(configuration)
  try Administration.checkThere(configuration)
  let mark = try SQLiteStore.serve(configuration.database)
  defer { mark.end() }
  let store = try Administration.open(configuration, readers: 8)
  let log = try ServiceLog()
  defer { log.flush(within: 1) }
  let service = try BackendService.start(
    configuration, store: store, sealer: sealer, version: versionNumber, log: log)
  do throws(Failure) {
    try console.document([
      "issuer": .string(configuration.backend.issuer), "listen": .string(service.origin),
      "metrics": .optional(service.metricsOrigin), "database": .string(configuration.database),
      "version": .string(versionNumber), "pid": .number(getpid()),
    ])
  } catch {
    service.stop()
    throw error
  }
  log.write(.info, "server.started", [("listen", .string(service.origin))])
  if invocation.flag("until-stdin-closes") { try StopSignals.sendWhenInputCloses() }
  var signal = signals.wait()
  while signal == SIGHUP {
    service.readIdentityAgain()
    signal = signals.wait()
  }
  log.write(.info, "server.stopping", [("signal", .number(signal))])
  service.stop()
  log.write(.info, "server.stopped")
  return .done
}
