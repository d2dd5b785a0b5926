internal import Basics
internal import CommandLine
internal import StrategyHost

/// What runs the `strategy` commands.
func strategyHandlers(_ environment: Environment) -> [String: Program.Handler] {
  [
    "strategy list": { (_, console) throws(Failure) in try listStrategies(environment, console) },
    "strategy show": { (invocation, console) throws(Failure) in
      try showStrategy(invocation.operands.first ?? "", environment, console)
    },
    "strategy verify": { (invocation, console) throws(Failure) in
      try verifyStrategy(invocation.operands.first ?? "", environment, console)
    },
    "strategy trust": { (invocation, console) throws(Failure) in
      try trustStrategy(invocation, try catalogue(environment), console)
    },
    "strategy untrust": { (invocation, console) throws(Failure) in
      try untrustStrategy(invocation.operands.first ?? "", try catalogue(environment), console)
    },
    "strategy sign": { (invocation, console) throws(Failure) in try signStrategy(invocation, console) },
    "strategy check": { (invocation, console) throws(Failure) in
      try checkStrategy(invocation, try catalogue(environment), console)
    },
    "strategy new": { (invocation, console) throws(Failure) in try newStrategy(invocation, console) },
    "strategy lock": { (invocation, console) throws(Failure) in
      try lockStrategies(invocation.operands.first ?? "", console)
    },
  ]
}

private func catalogue(_ environment: Environment) throws(Failure) -> StrategyCatalogue {
  StrategyCatalogue(try .standard(try Directories(environment: environment)))
}

private func listStrategies(_ environment: Environment, _ console: Console) throws(Failure) -> ExitCode {
  let entries = try catalogue(environment).list()
  if console.json {
    try console.document(.array(entries.map(\.document)))
    return .done
  }
  if entries.isEmpty { console.note("no strategy is installed") }
  let width = entries.map(\.name.text.utf8.count).max() ?? 0
  for entry in entries {
    let name = entry.name.text + String(repeating: " ", count: width - entry.name.text.utf8.count)
    let version = entry.manifest?.version ?? "-"
    let what = entry.isTrusted ? entry.manifest?.summary ?? "" : "refused: \(entry.problems.joined(separator: "; "))"
    try console.line("\(name)  \(version)  \(what)")
  }
  return .done
}

private func showStrategy(
  _ name: String, _ environment: Environment, _ console: Console
) throws(Failure) -> ExitCode {
  let entry = try catalogue(environment).entry(name)
  if console.json {
    try console.document(entry.detailedDocument)
  } else {
    try console.write(entry.text)
  }
  return .done
}

private func verifyStrategy(
  _ path: String, _ environment: Environment, _ console: Console
) throws(Failure) -> ExitCode {
  let entry = try catalogue(environment).verify(file: path)
  if let refusal = entry.refusal { throw refusal }
  if console.json {
    try console.document(entry.document)
  } else {
    try console.line("\(entry.name) \(entry.manifest?.version ?? "-"): can be run")
    try console.line("\(entry.digest ?? "-")")
  }
  return .done
}

private func lockStrategies(_ folder: String, _ console: Console) throws(Failure) -> ExitCode {
  let names = try StrategyLock.write(folder: folder)
  if console.json {
    try console.document(["names": .strings(names.map(\.text))])
  } else {
    console.note("pinned: \(names.isEmpty ? "nothing" : names.map(\.text).joined(separator: ", "))")
  }
  return .done
}
