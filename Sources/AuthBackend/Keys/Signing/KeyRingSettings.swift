internal import Basics
public import JOSE

/// How the signing keys are made and published. All times in seconds.
public struct KeyRingSettings: Sendable {
  /// What new keys are for: ``JWSAlgorithm/edDSA`` or ``JWSAlgorithm/rs256``. A change makes the next key one of that kind, in the
  /// usual order: published first, used later.
  public var algorithm = JWSAlgorithm.edDSA
  /// For how long a key signs: 90 days.
  public var rotationSeconds: Int64 = 90 * 86_400
  /// For how long clients may keep the set of keys: `max-age` of the answer, 1 hour.
  public var maxAgeSeconds: Int64 = 3_600
  /// By how much longer than that a key is published before it signs: for processes that have not read it yet and answers that
  /// are on their way. Half of it is how often the store is read at least.
  public var marginSeconds: Int64 = 300
  /// The longest life of a token that is signed: 15 minutes.
  public var longestTokenSeconds: Int64 = 900
  /// For how much longer verifiers take a token.
  public var leewaySeconds: Int64 = TokenTime.leeway

  /// As above.
  public init() {}

  func schedule() throws(Failure) -> KeySchedule {
    guard maxAgeSeconds >= 0, maxAgeSeconds <= 86_400, marginSeconds >= 2, marginSeconds <= 86_400,
      longestTokenSeconds > 0, longestTokenSeconds <= 86_400, leewaySeconds >= 0, leewaySeconds <= 3_600
    else {
      throw Failure(
        .configuration, "a time of the signing keys is out of its range",
        hint: "max-age, margin and the life of tokens are at most a day, the leeway at most an hour")
    }
    guard algorithm == .edDSA || algorithm == .rs256 else { throw TokenSigner.unused(algorithm) }
    // Another process may sign with the old key until it reads the store again.
    let reread = marginSeconds / 2
    return try KeySchedule(
      rotation: rotationSeconds, lead: maxAgeSeconds + marginSeconds,
      keep: longestTokenSeconds + leewaySeconds + reread, reread: reread)
  }
}
