internal import CommandLine

let envDocsCommand = CommandSpec(
  "docs", "print the settings documentation as Markdown",
  options: generatorOptions,
  operands: [OperandSpec(.file(), .optional, "the file to write or check (default: DIR/docs/SETTINGS.md)")],
  examples: [.init("mfsctl env docs --check", "fails in CI when docs/SETTINGS.md is stale")])
