internal import Basics
internal import CommandLine
internal import Session

/// `session refresh`.
func sessionRefresh(_ call: SessionCall) throws(Failure) -> ExitCode {
  try call.conclude(try call.service().refresh())
}
