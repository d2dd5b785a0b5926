internal import Basics
internal import CommandLine
internal import SecureMemory
internal import Session

/// `replicator config`.
func replicatorConfig(_ call: SessionCall) throws(Failure) -> ExitCode {
  let configuration = try call.service().replicator()
  if let end = configuration.credentialExpiresAt, end <= Timestamp.now() {
    call.console.note("by its time it ended at \(end); 'mfsctl session restore' gets a new one")
  }
  guard call.invocation.flag("reveal") else {
    try call.console.document(configuration.masked)
    return .done
  }
  let document = try configuration.revealed()
  try unsafe document.withBytes { bytes throws(Failure) in try unsafe call.console.write(bytes: bytes) }
  return .done
}
