internal import Basics
internal import CommandLine
internal import StrategyHost

/// `strategy new`: a project of a plugin.
func newStrategy(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let language = StrategyProject.Language(rawValue: invocation.value("language") ?? "swift") ?? .swift
  let project = try StrategyProject(name: invocation.operands.first ?? "", language: language)
  let folder = invocation.value("output") ?? project.name.text
  try project.write(to: folder)
  if console.json {
    try console.document([
      "name": .string(project.name.text), "language": .string(language.rawValue), "folder": .string(folder),
      "files": .strings(project.files.map(\.path)),
    ])
  } else {
    try console.line(OutsideText.clean(folder, limit: 400))
    console.note("next: read \(OutsideText.clean(folder, limit: 400))/README.md, and build it with 'make'")
  }
  return .done
}
