public import BackendStore
public import Basics
public import SecureMemory

/// Verifies what a device sends to show that it is genuine and runs the genuine app. It keeps nothing: that a challenge is fresh and
/// good once, and that counters only rise, is the backend's to see to.
public protocol AttestationVerifying: Sendable {
  /// Verifies evidence for an app, which is told by the client's properties. Throws the first ``AttestationFault`` met.
  func verify(
    _ evidence: AttestationEvidence, of client: Client, now: Timestamp
  ) throws(AttestationFault) -> AttestationFinding
}

/// What a device sends. `clientData` are the bytes that a request and its challenge are bound into, see docs/BACKEND-FLOWS.md.
public enum AttestationEvidence {
  /// A new key of App Attest: the attestation object (CBOR), the key's id of 32 bytes; the app gave the SHA-256 of `clientData` to it.
  case appleKey(object: [UInt8], keyID: [UInt8], clientData: [UInt8])
  /// An assertion (CBOR) by a key that was attested before, over the SHA-256 of `clientData`; its counter must be above the key's.
  case appleAssertion(object: [UInt8], clientData: [UInt8], key: DeviceKey)
  /// The token of a classic request to Google Play, whose `nonce` must be this: base64url of the SHA-256 of the client data. Tokens of
  /// standard requests, with a `requestHash`, are Google's alone to open.
  case playIntegrity(token: SecureBox, nonce: String)
}

/// What a verifier found.
public struct AttestationFinding: Equatable, Sendable {
  /// In a word of the verifier's, such as `MEETS_DEVICE_INTEGRITY`; kept with the device.
  public var verdict: String
  /// The key that was attested, or that asserted, with its counter after it; nil where there is none.
  public var key: DeviceKey?

  /// A finding.
  public init(verdict: String, key: DeviceKey? = nil) {
    self.verdict = verdict
    self.key = key
  }
}

/// Why a device is not taken for genuine. Neither part of it is secret.
public struct AttestationFault: Error, Equatable, Sendable {
  /// In one word, for the audit log and the device's verdict.
  public var reason: String
  /// What is wrong, for the operator.
  public var message: String

  /// A fault.
  public init(_ reason: String, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
