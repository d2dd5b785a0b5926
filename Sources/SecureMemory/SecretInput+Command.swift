public import Basics

extension SecretInput {
  /// What `sh -c command` prints. It gets our environment and stderr, and nothing to read but what it asks the terminal
  /// for. It may take `seconds`; when that is nil, as long as it wants where there is a terminal, since Ctrl-C ends it,
  /// and 60 seconds elsewhere. Whatever it has started ends with it, unless it succeeds.
  ///
  /// Throws ``FailureCode/outOfMemory``, ``FailureCode/inputOutput`` when it cannot be run, `unsuccessful` when it fails
  /// or takes too long, ``FailureCode/usage`` when it prints more than `limit` bytes, and ``FailureCode/cancelled``.
  public static func read(
    command: String, limit: Int, what: String, unsuccessful: FailureCode, seconds: Int? = nil
  ) throws(Failure) -> SecureBytes {
    let running = try SecretCommand(command, what: what)
    let status: Int32
    let secret: SecureBytes
    do throws(Failure) {
      secret = try running.output(limit: limit, unsuccessful: unsuccessful, seconds: seconds)
      status = running.finish()
    } catch {
      running.stop()
      throw error
    }
    guard status == 0 else {
      // Ctrl-C goes to whoever has the terminal.
      guard status & 0x7F != 2, status != 130 << 8 else { throw Failure(.cancelled, "\(what) was cancelled") }
      let end = status & 0x7F == 0 ? "exit status \((status >> 8) & 0xFF)" : "signal \(status & 0x7F)"
      throw Failure(unsuccessful, "\(what) ended with \(end)", hint: "run it by itself to see why")
    }
    return secret
  }
}
