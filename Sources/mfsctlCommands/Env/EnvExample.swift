internal import Basics
internal import CommandLine
internal import Settings

let envExampleCommand = CommandSpec(
  "example", "print an example env file",
  options: generatorOptions,
  operands: [OperandSpec(.file(), .optional, "the file to write or check (default: DIR/env/.env.example)")],
  examples: [.init("mfsctl env example --write", "writes env/.env.example")])

/// `env example`.
func runEnvExample(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try GeneratedFile(place: "env/.env.example") { EnvExample($0).text }
    .run(invocation, console)
}
