internal import Basics
internal import CommandLine
internal import Session

/// `session auth-failure`.
func sessionAuthFailure(_ call: SessionCall) throws(Failure) -> ExitCode {
  guard let code = call.invocation.integer("code") else {
    throw Failure(.bug, "there is no --code")
  }
  return try call.conclude(try call.service().replicatorFailed(ReplicatorCode(code)))
}
