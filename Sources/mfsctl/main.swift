internal import Basics
internal import CommandLine
internal import Glibc
internal import mfsctlCommands

// `mfsctl` holds what must start at once: the settings, the file vault and the help. It links nothing that takes time
// to load; every other command is run by `mfsctl-full` in its place.
func run() -> ExitCode {
  let arguments = ProcessArguments.current()
  let handOver: Program.Handler = { _, _ throws(Failure) in
    try FullExecutable.replaceProcess(arguments: arguments.words)
  }
  let program = Program(
    root: rootCommand,
    handlers: envHandlers().merging(vaultHandlers(.handingOver(to: handOver))) { first, _ in first },
    version: { versionOf(program: "mfsctl") },
    fallback: handOver)
  return program.run(arguments, environment: .current())
}

exit(run().rawValue)
