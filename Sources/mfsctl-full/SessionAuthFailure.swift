internal import Basics
internal import CommandLine
internal import HTTPClient
internal import Session

/// `session auth-failure`.
func sessionAuthFailure(_ call: SessionCall) throws(Failure) -> ExitCode {
  // Before the vault is opened, which may take a while: what is stored meanwhile is not what was rejected.
  let reportedAt = Timestamp.now()
  guard let code = call.invocation.integer("code") else {
    throw Failure(.bug, "there is no --code")
  }
  var expiresAt: Timestamp?
  if let text = call.invocation.value("session-expires-at") {
    expiresAt = Timestamp(rfc3339: text)
    guard expiresAt != nil else {
      throw Failure(
        .usage, "--session-expires-at is '\(OutsideText.clean(text, limit: 80))', not a time",
        hint: "give sessionExpiresAt of 'mfsctl session status --json', for example 2026-09-04T18:00:00Z")
    }
  }
  let rejected = RejectedSession(expiresAt: expiresAt, reportedAt: reportedAt)
  let report = try call.service().replicatorFailed(
    ReplicatorCode(code), rejected: rejected, asking: HTTPClient())
  return try call.conclude(report, adding: [.init("restartReplicator", .bool(report.restartsReplicator))])
}
