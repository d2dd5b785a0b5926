internal import Basics
internal import CommandLine
internal import Session

/// `replicator check`.
func replicatorCheck(_ call: SessionCall) throws(Failure) -> ExitCode {
  let console = call.console
  guard let report = try ReplicatorCheck(try call.service().replicator()).run() else {
    if console.json { try console.document(["url": nil, "presents": nil, "level": nil]) }
    console.note("strategy demo has no server: there is nothing to check")
    return .done
  }
  if console.json { try console.document(report.json) } else { for line in report.lines { try console.line(line) } }
  for warning in report.warnings { console.warn(warning) }
  if let failure = report.failure { throw failure }
  return .done
}
