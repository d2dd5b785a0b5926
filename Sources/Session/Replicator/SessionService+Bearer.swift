public import Basics
public import HTTPClient

extension SessionService {
  /// Takes in an error of the replicator, as ``replicatorFailed(_:rejected:)`` does. But a 401 to an ID token that is good by
  /// its time may be the provider's trouble, not the token's: the gateway is asked once more, `secondThought` milliseconds
  /// later, and when it takes the token then, nothing is changed.
  public func replicatorFailed(
    _ code: ReplicatorCode, rejected: RejectedSession, asking client: HTTPClient, secondThought: Int64 = 2_000
  ) throws(Failure) -> Report {
    if configuration.presentsBearer, code.status == 401, let replicator = try presentable() {
      let check = ReplicatorCheck(replicator, client: client, secondThought: secondThought, clock: clock)
      if try check.isTakenNow(), let report = try takenAfterAll(code) { return report }
    }
    return try replicatorFailed(code, rejected: rejected)
  }

  // Nil when there is nothing to present: why not is for the refresh to say.
  private func presentable() throws(Failure) -> ReplicatorConfiguration? {
    do throws(Failure) { return try replicator() } catch {
      guard error.code == .signInNeeded || error.code == .configuration else { throw error }
      return nil
    }
  }

  // Nil when somebody has signed out meanwhile.
  private func takenAfterAll(_ code: ReplicatorCode) throws(Failure) -> Report? {
    _ = machine.handle(.loaded(try readVault()), now: clock())
    guard case .signedIn = machine.state else { return nil }
    onDecision(
      SessionDecision(
        at: clock(), event: "replicatorFailed \(code.number)", effects: ["startReplicator"], state: machine.state.words,
        reason: "the gateway takes the token when asked again", origin: configuration.binding.gateway))
    return Report(
      status: currentStatus(trouble: nil), failure: nil,
      note: "the gateway takes the ID token now, which it refused a moment ago: start the replicator again",
      signIn: machine.state.signIn, conclusion: .signedIn, told: nil)
  }
}
