internal import Basics
internal import CommandLine
internal import Settings

let envLintCommand = CommandSpec(
  "lint", "find mistakes in env files",
  details: """
    Without FILE, checks every env file that the app reads in the mode, and those in its folder that no mode reads. With \
    FILEs, they are one stack, the last one highest; a file that is named twice counts once. Values of secrets are never shown.

    Exit 1 when there is an error or there are more warnings than --max-warnings. A FILE that is missing is exit 10, a \
    directory 2, one that cannot be read 41, one over 16 MiB 3. After 50,000 findings \
    the rest are counted only.
    """,
  options: readingOptionList(mode: "development (default), production, test, another mode, or all of the three") + [
    .value("format", .choice(["text", "json", "github"]), "how to print findings (default: text)"),
    .value("rule", .text("NAME=error|warning|off"), repeats: true, "set the severity of a rule"),
    .value("max-warnings", .integer("N", 0...1_000_000), "exit 1 when there are more warnings (default: no limit)"),
    .flag("process-env", "let the process environment count, as it does for the app"),
  ],
  operands: [OperandSpec(.file(), .any, "env files to check as one stack")],
  examples: [
    .init("mfsctl env lint --mode production", "checks what a production build reads"),
    .init("mfsctl env lint --mode all --format github", "annotates a pull request"),
  ])

/// `env lint`.
func runEnvLint(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  var options = LintOptions(dialect: invocation.dialect)
  if invocation.flag("process-env") { options.environment = .current() }
  for rule in invocation.values("rule") { try options.take(rule: rule) }
  let modes = invocation.value("mode") == "all" ? Layers.modes : [try invocation.mode()]
  let catalog = try invocation.catalog()
  if invocation.value("mode") != "all" {
    let directory = invocation.operands.isEmpty ? invocation.directory : nil
    for mode in modes { invocation.warnOfMistypedMode(mode, directory: directory, catalog, console) }
  }
  let linter = Linter(catalog: catalog, options: options)
  let report: LintReport
  if invocation.operands.isEmpty {
    report = try linter.lint(directory: invocation.directory, modes: modes)
  } else {
    report = try linter.lint(stack: try operandFiles(invocation), modes: modes)
  }
  // JSON names files from the app's folder; people and GitHub need them from here.
  let prefix = invocation.operands.isEmpty ? pathPrefix(invocation.directory) : ""
  switch invocation.value("format") {
  case "json": try console.document(report.json)
  case "github": try console.write(report.github(pathPrefix: prefix))
  default:
    try console.write(report.text(catalog: catalog, pathPrefix: prefix, color: console.color))
    if report.files.isEmpty { console.note("there is no env file in \(OutsideText.clean(invocation.directory))") }
    console.note(
      report.findings.isEmpty
        ? "nothing found in \(report.files.count) file\(report.files.count == 1 ? "" : "s")" : report.summary)
  }
  let tooMany = invocation.integer("max-warnings").map { report.warnings > $0 } ?? false
  return report.errors > 0 || tooMany ? .found : .done
}

/// The files that are named, each of which must be there and readable. One that is named twice counts where it is highest.
private func operandFiles(_ invocation: Invocation) throws(Failure) -> [EnvFile] {
  var files: [EnvFile] = []
  var known: Set<FileIdentity> = []
  for path in invocation.operands.reversed() {
    if let identity = FileIdentity(path: path), !known.insert(identity).inserted { continue }
    let bytes = try Files.read(path, limit: EnvFile.sizeLimit)
    files.append(EnvFile(name: path, bytes: bytes, dialect: invocation.dialect))
  }
  return files.reversed()
}

/// What stands before the names of an app's files when they are shown.
func pathPrefix(_ directory: String) -> String {
  directory == "." || directory == "./" ? "" : directory.hasSuffix("/") ? directory : directory + "/"
}
