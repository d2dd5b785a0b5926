internal import Basics
internal import CommandLine
internal import Settings

let envResolveCommand = CommandSpec(
  "resolve", "print the settings that the app reads",
  details: """
    Prints every key that an env file sets, and every declared one that the process environment sets or that has a \
    default. The process environment counts, as it does for the app. Where a bug of the app's reader makes it read \
    something else than a line means, an error on stderr says so; --intended prints what the lines mean.

    Values of secrets are masked unless --reveal. An env file has no escapes for control characters, line separators and \
    the characters that turn the direction of text, so a value with one is left out there, with a warning; shell and json \
    write them as escapes.
    """,
  options: readingOptions + [
    .value("format", .choice(["dotenv", "json", "shell"]), "how to print the settings (default: dotenv)"),
    .flag("reveal", "print the values of secrets"),
    .flag("intended", "print what the lines mean instead of what the app reads"),
  ],
  examples: [
    .init("mfsctl env resolve --mode production --json", "shows each value and the file it comes from"),
    .init("eval \"$(mfsctl env resolve --format shell --reveal)\"", "sets the variables of a shell"),
  ])

/// `env resolve`.
func runEnvResolve(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let mode = try invocation.mode()
  let catalog = try invocation.catalog()
  invocation.warnOfMistypedMode(mode, directory: invocation.directory, catalog, console)
  let read = Layers.load(directory: invocation.directory, mode: mode, dialect: invocation.dialect)
  let intended = invocation.flag("intended")
  let resolution = try resolve(intended ? read.map(\.asMeant) : read, mode, catalog, invocation)
  try warnAboutMisreadings(read, resolution, mode, catalog, invocation, console)
  for (file, failure) in resolution.unreadable {
    console.warn("\(OutsideText.clean(file)) is passed over: \(failure.message)")
  }
  if read.allSatisfy(\.isMissing), invocation.value("format") != "json" {
    console.note(
      "there is no env file of mode \(OutsideText.clean(mode, limit: 64)) in \(OutsideText.clean(invocation.directory))"
    )
  }
  let reveal = invocation.flag("reveal")
  switch invocation.value("format") {
  case "json": try console.document(resolution.json(reveal: reveal))
  case "shell": try printLines(resolution, reveal: reveal, console) { ShellText.line(key: $0, value: $1) }
  default:
    let writer = DotenvText(dialect: invocation.dialect)
    try printLines(resolution, reveal: reveal, console) { writer.line(key: $0, value: $1) }
  }
  return .done
}

private func resolve(
  _ files: [EnvFile], _ mode: String, _ catalog: Catalog, _ invocation: Invocation
) throws(Failure) -> Resolution {
  try Resolution(files, mode: mode, dialect: invocation.dialect, catalog: catalog, environment: .current())
}

/// Says on stderr where the app reads something else than a line means.
func warnAboutMisreadings(
  _ files: [EnvFile], _ resolution: Resolution, _ mode: String, _ catalog: Catalog, _ invocation: Invocation,
  _ console: Console
) throws(Failure) {
  let misreadings = Misreading.all(in: files, catalog: catalog)
  guard !misreadings.isEmpty else { return }
  let isIntended = invocation.flag("intended")
  let other = try resolve(isIntended ? files : files.map(\.asMeant), mode, catalog, invocation)
  let keys = resolution.differences(from: other)
  guard !keys.isEmpty else { return }
  for misreading in misreadings.prefix(20) {
    console.report(
      Failure(
        .envMisread, "\(OutsideText.clean(misreading.file)):\(misreading.line): \(misreading.message)",
        hint: isIntended ? "this is what the line means, not what the app reads" : misreading.help))
  }
}

private func printLines(
  _ resolution: Resolution, reveal: Bool, _ console: Console, _ line: (String, String) -> String?
) throws(Failure) {
  var out = ""
  for value in resolution.values {
    if let line = line(reveal ? value.key : value.maskedKey, reveal ? value.value : value.masked) {
      out += line + "\n"
    } else {
      let key = OutsideText.clean(reveal ? value.key : value.maskedKey, limit: 40)
      console.warn("\(key) cannot be written in this format and is left out; --format json has it")
    }
  }
  try console.write(out)
}
