internal import Basics
internal import CommandLine
internal import GatewayLab

/// `mfsctl lab scenario check`: what a scenario file says, moment by moment.
func checkScenario(_ file: String, _ console: Console) throws(Failure) -> ExitCode {
  let scenario = try Scenario.read(file)
  let script = scenario.script
  if console.json {
    try console.document([
      "file": .string(file), "faults": .number(scenario.faults.count),
      "idpFaults": .number(scenario.provider.faults.count),
      "needsIdp": .bool(script.needsProvider),
      "moments": .array(
        script.moments.map { moment in
          ["at": .integer(moment.at), "begins": .strings(moment.begins), "ends": .strings(moment.ends)]
        }),
    ])
    return .done
  }
  let name = OutsideText.clean(file, limit: 300)
  let faults = scenario.faults.count + scenario.provider.faults.count
  let beginning = faults == 0 ? "nothing goes wrong at the beginning" : "\(count(faults, "fault")) from the beginning"
  try console.line(
    "\(name): \(beginning), \(script.moments.isEmpty ? "no script" : "a script of \(count(script.moments.count, "moment"))")."
  )
  for moment in script.moments {
    let time = Script.text(milliseconds: moment.at)
    let margin = String(repeating: " ", count: max(1, 8 - time.count)) + time + "  "
    for line in moment.ends { try console.line("\(margin)ends: \(line)") }
    for line in moment.begins { try console.line("\(margin)\(line)") }
  }
  if script.needsProvider { console.note("the script is about the identity provider too: run it with --idp lab") }
  return .done
}

private func count(_ number: Int, _ what: String) -> String { number == 1 ? "1 \(what)" : "\(number) \(what)s" }
