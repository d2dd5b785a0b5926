internal import Basics
internal import CommandLine
internal import Glibc
internal import mfsctlCommands

// Runs what `mfsctl` hands over because it needs a library that takes time to load.
let program = Program(
  root: rootCommand,
  handlers: labHandlers(),
  version: { versionText(program: "mfsctl-full", libraries: linkedLibraries()) },
  fallback: { invocation, _ throws(Failure) in
    throw Failure(.bug, "mfsctl-full cannot run '\(invocation.path.joined(separator: " "))'")
  })
exit(program.run(Array(Swift.CommandLine.arguments.dropFirst()), environment: .current()).rawValue)
