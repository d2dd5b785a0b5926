internal import Basics
internal import CommandLine
internal import Settings

let envDocsCommand = CommandSpec(
  "docs", "print the settings documentation as Markdown",
  options: generatorOptions,
  operands: [OperandSpec(.file(), .optional, "the file to write or check (default: DIR/docs/SETTINGS.md)")],
  examples: [.init("mfsctl env docs --check", "fails in CI when docs/SETTINGS.md is stale")])

/// `env docs`.
func runEnvDocs(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try GeneratedFile(place: "docs/SETTINGS.md") { SettingsDocument($0).text }
    .run(invocation, console)
}
