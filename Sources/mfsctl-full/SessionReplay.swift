internal import Basics
internal import CommandLine
internal import Session
internal import StrategyHost

/// `session login --replay`: runs the plugin against a recording. The vault is not opened.
func replayLogin(_ file: String, _ call: SessionCall) throws(Failure) -> ExitCode {
  for option in ["record", "password-stdin", "no-browser", "redirect-port"]
  where call.invocation.flag(option) || call.invocation.value(option) != nil {
    throw Failure(.usage, "--replay and --\(option) do not go together", hint: "a replay asks nobody and sends nothing")
  }
  let replay = try StrategyReplay(file: file)
  let configuration = try call.configuration()
  guard replay.strategy == configuration.strategy else {
    throw Failure(
      .configuration,
      "the recording is of the strategy '\(OutsideText.clean(replay.strategy, limit: 64))', and the settings choose "
        + "'\(OutsideText.clean(configuration.strategy, limit: 64))'", hint: "give the app's folder with --dir")
  }
  guard let host = try call.strategies(call.vault, .signals) as? StrategyHost else {
    throw Failure(.bug, "strategies are not run by their host")
  }
  let console = call.console
  let report = try replay.run(
    on: host, settings: configuration.settings, identifier: call.invocation.value("identifier")
  ) { console.detail($0) }
  if report.isAnotherPlugin { console.note("the plugin is not the one that was recorded") }
  if console.json {
    try console.document([
      "version": 1, "strategy": .string(replay.strategy), "calls": .number(report.calls),
      "recorded": .number(report.recorded), "outcome": .string(report.outcome),
      "departures": .strings(report.departures), "samePlugin": .bool(!report.isAnotherPlugin),
    ])
  } else {
    for departure in report.departures { try console.line(departure) }
    console.note(
      report.departures.isEmpty
        ? "it followed the recording through \(report.calls) of \(report.recorded) calls and \(report.outcome)"
        : "it departed from the recording; it \(report.outcome)")
  }
  return report.departures.isEmpty ? .done : .found
}
