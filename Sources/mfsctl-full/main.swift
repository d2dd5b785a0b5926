internal import Basics
internal import CommandLine
internal import Glibc
internal import mfsctlCommands

// Every command in one process, with all that those of the static `mfsctl` do not link.
let program = Program(
  root: rootCommand,
  handlers: envHandlers().merging(vaultHandlers(.everyBackend)) { $1 },
  version: { versionText(program: "mfsctl-full", libraries: linkedLibraries()) },
  fallback: { invocation, _ throws(Failure) in
    throw Failure(.bug, "'mfsctl \(invocation.path.joined(separator: " "))' has no handler")
  })
exit(program.run(Array(Swift.CommandLine.arguments.dropFirst()), environment: .current()).rawValue)
