internal import Basics
internal import CommandLine
internal import Settings

let envExplainCommand = CommandSpec(
  "explain", "say where the value of a setting comes from",
  details: """
    Shows each layer that sets the key or could, what the value is expanded from, and what the catalog says of it. The \
    process environment counts, as it does for the app. Values of secrets are masked unless --reveal.
    """,
  options: readingOptions + [.flag("reveal", "print the values of secrets")],
  operands: [OperandSpec(.text("KEY"), .one, "the key to explain")],
  examples: [.init("mfsctl env explain EXPO_PUBLIC_SG_URL --mode production", "shows which file wins, and over which")])

/// `env explain`.
func runEnvExplain(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let mode = try invocation.mode()
  let catalog = try invocation.catalog()
  invocation.warnOfMistypedMode(mode, directory: invocation.directory, catalog, console)
  let files = Layers.load(directory: invocation.directory, mode: mode, dialect: invocation.dialect)
  let explanation = try Explanation(
    invocation.operands.first ?? "", files: files, mode: mode, dialect: invocation.dialect, catalog: catalog,
    environment: .current())
  if console.json {
    try console.document(explanation.json(reveal: invocation.flag("reveal")))
  } else {
    try console.write(explanation.text(reveal: invocation.flag("reveal")))
  }
  for misreading in Misreading.all(in: files, catalog: catalog).prefix(20) {
    console.report(
      Failure(
        .envMisread, "\(OutsideText.clean(misreading.file)):\(misreading.line): \(misreading.message)",
        hint: misreading.help))
  }
  return .done
}
