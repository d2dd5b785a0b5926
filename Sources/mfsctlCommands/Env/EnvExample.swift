internal import CommandLine

let envExampleCommand = CommandSpec(
  "example", "print an example env file",
  options: generatorOptions,
  operands: [OperandSpec(.file(), .optional, "the file to write or check (default: DIR/env/.env.example)")],
  examples: [.init("mfsctl env example --write", "writes env/.env.example")])
