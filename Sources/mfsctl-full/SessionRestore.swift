internal import Basics
internal import CommandLine
internal import Session

/// `session restore`.
func sessionRestore(_ call: SessionCall) throws(Failure) -> ExitCode {
  try call.conclude(try call.service().restore())
}
