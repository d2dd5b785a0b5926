internal import Basics
internal import CommandLine
internal import StrategyHost

/// `strategy check`: the conformance kit.
func checkStrategy(
  _ invocation: Invocation, _ catalogue: StrategyCatalogue, _ console: Console
) throws(Failure) -> ExitCode {
  var settings: [String: String] = [:]
  for text in invocation.values("setting") {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw Failure(.usage, "'\(OutsideText.clean(text, limit: 80))' is not NAME=VALUE", hint: "see --help")
    }
    settings[String(text[..<equals])] = String(text[text.index(after: equals)...])
  }
  let runtime = invocation.value("asan-runtime").map { SanitizerRuntime.file($0) }
  let sanitizer = runtime ?? (invocation.flag("asan") ? .needed : nil)
  let report = try StrategyConformance.check(
    file: invocation.operands.first ?? "", in: catalogue, settings: settings,
    cycles: invocation.integer("cycles") ?? (sanitizer == nil ? 1_000 : 20), sanitizer: sanitizer)
  if console.json {
    try console.document(report.document)
  } else {
    for finding in report.findings { try console.line("\(finding.check): \(finding.message)") }
    for outcome in report.outcomes { console.detail("in the script, \(outcome)") }
    let count = report.findings.count
    console.note(
      "\(count == 0 ? "nothing" : "\(count) finding\(count == 1 ? "" : "s")") found by \(report.checks.count) checks in "
        + "\(report.runs) runs")
  }
  return report.findings.isEmpty ? .done : .found
}

extension StrategyConformance.Report {
  fileprivate var document: JSONValue {
    [
      "version": 1, "checks": .strings(checks), "runs": .number(runs), "outcomes": .strings(outcomes),
      "findings": .array(findings.map { ["check": .string($0.check), "message": .string($0.message)] }),
    ]
  }
}
