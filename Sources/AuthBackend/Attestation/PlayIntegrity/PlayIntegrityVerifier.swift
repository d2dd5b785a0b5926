public import Basics
internal import JOSE
public import SecureMemory

/// Verifies tokens of classic Play Integrity requests on this machine, with the app's own keys: a JWE by A256KW and A256GCM around a JWS
/// by ES256. Tokens of standard requests, with a hash, are Google's alone to open. It keeps nothing: that a nonce is fresh and used once is
/// the caller's to see to.
public struct PlayIntegrityVerifier: Sendable {
  /// The most bytes of a token, 24 KiB; real ones have some 2 KiB.
  public static let maximumTokenSize = 24 << 10

  /// The app's keys.
  public let keys: PlayIntegrityKeys
  /// What is asked.
  public let policy: PlayIntegrityPolicy

  /// A verifier.
  public init(keys: PlayIntegrityKeys, policy: PlayIntegrityPolicy) {
    self.keys = keys
    self.policy = policy
  }

  /// Decrypts a token, verifies it, and holds its verdict to the policy and to the nonce that the app was given
  /// (``PlayIntegrityRequest/nonce(_:)``). Throws the first ``AttestationRefusal`` met.
  public func verify(
    _ token: borrowing SecureBytes, nonce: String, now: Timestamp
  ) throws(AttestationRefusal) -> PlayIntegrityVerdict {
    let signed = try unsafe token.withBytes { bytes throws(AttestationRefusal) in
      try unsafe EncryptedToken.decrypt(bytes, by: keys.decryptionKey.bytes)
    }
    let payload: [UInt8]
    do throws(TokenRefusal) {
      payload = try JWSVerifier(algorithms: [.es256]).verify(signed, keys: JSONWebKeySet([keys.verificationKey]))
        .payload
    } catch {
      // The refusal's own text speaks of an issuer's set of keys.
      throw AttestationRefusal(
        .tokenSignature, "the verdict was not signed by the app's verification key (\(error.reason.name))")
    }
    return try policy.verdict(payload, request: .nonce(nonce), now: now)
  }
}
