/// A key in a device's Secure Enclave that Apple vouched for: what a server keeps to verify assertions with. None of it is secret.
public struct AppAttestKey: Hashable, Sendable {
  /// The key id: SHA-256 of the public key, 32 bytes.
  public let id: [UInt8]
  /// The public key: the uncompressed point of P-256, 65 bytes.
  public let publicKey: [UInt8]
  /// The counter to keep, 0; each assertion raises it.
  public let counter: UInt32
  /// Where it was attested.
  public let environment: AppAttestEnvironment
  /// What the device said of the app beside the key.
  public let extensions: AppAttestExtensions
  /// Apple's receipt, in CMS, to ask Apple for a risk metric with. It is as the device sent it: nothing here verifies it
  /// (docs/ATTESTATION.md says why).
  public let receipt: [UInt8]
}
