internal import Basics
internal import CommandLine
internal import Glibc
internal import HTTPClient
internal import HTTPServer
internal import SecretService
internal import StrategyHost
internal import Vault
internal import mfsctlCommands

// Everything that `mfsctl` does, with the libraries that take time to load; `mfsctl` runs it in its own place.
let environment = Environment.current()
let opener = BackendOpener.everyBackend
let strategies: StrategyMaker = { call, interruption throws(Failure) in
  let host = StrategyHost(
    locations: try .standard(call.request.directories), isolation: call.invocation.isolation, interruption: interruption
  )
  host.recorder = try call.invocation.value("record").map { path throws(Failure) in
    try StrategyRecorder(file: path) { call.console.note("the recording is not complete: \($0.message)") }
  }
  return host
}
let handlers =
  envHandlers()
  .merging(vaultHandlers(opener)) { $1 }
  .merging(strategyHandlers(environment)) { $1 }
  .merging(sessionHandlers(opener, strategies: strategies)) { $1 }
  .merging(labHandlers()) { $1 }
let program = Program(
  root: rootCommand,
  handlers: handlers,
  version: {
    versionOf(
      program: "mfsctl-full",
      more: [("libcurl", curlVersion), ("libsecret", secretVersion), ("libmicrohttpd", microHTTPDVersion)])
  },
  fallback: { invocation, _ throws(Failure) in
    throw Failure(.bug, "nothing runs 'mfsctl \(invocation.path.joined(separator: " "))'")
  })
exit(program.run(.current(), environment: environment).rawValue)
