public import BackendStore
public import Basics
public import DeviceAttestation
internal import JOSE
internal import SecureMemory

/// Verifies App Attest and Play Integrity for real (module DeviceAttestation), for the app that a client's properties name:
/// `apple-app-id`; `apple-attest-environment`, which is `production` unless it is `development`; `android-package`;
/// `android-sha256-fingerprints`; and `android-device`, the least that a device must prove: `device` unless it is `any`, `basic` or `strong`.
public struct VendorAttestation: AttestationVerifying {
  /// What Apple's chains must lead to: ``PinnedRoots/appleAppAttest()`` but in tests.
  public var roots: PinnedRoots
  /// The keys of Android apps, by package.
  public var integrityKeys: [String: PlayIntegrityKeys]

  /// A verifier.
  public init(roots: PinnedRoots, integrityKeys: [String: PlayIntegrityKeys] = [:]) {
    self.roots = roots
    self.integrityKeys = integrityKeys
  }

  /// Throws the vendor's refusal by its name, and `not-configured` where the client names no app that can be verified.
  public func verify(
    _ evidence: AttestationEvidence, of client: Client, now: Timestamp
  ) throws(AttestationFault) -> AttestationFinding {
    switch evidence {
    case .appleKey(let object, let keyID, let clientData):
      let verifier = try apple(client)
      let key = try named { () throws(AttestationRefusal) in
        try verifier.verifyAttestation(object, keyID: keyID, clientDataHash: SHA256.hash(clientData), now: now)
      }
      return AttestationFinding(
        verdict: "apple-app-attest: attested, \(key.environment.rawValue)",
        key: DeviceKey(id: key.id, publicKey: key.publicKey, counter: Int64(key.counter)))
    case .appleAssertion(let object, let clientData, var key):
      let verifier = try apple(client), before = key
      let counter = try named { () throws(AttestationRefusal) in
        try verifier.verifyAssertion(
          object, clientData: clientData, publicKey: before.publicKey, lastCounter: UInt32(clamping: before.counter))
      }
      key.counter = Int64(counter)
      return AttestationFinding(verdict: "apple-app-attest: asserted", key: key)
    case .playIntegrity(let token, let nonce):
      let verifier = try google(client)
      let verdict = try named { () throws(AttestationRefusal) in
        try verifier.verify(token.bytes, nonce: nonce, now: now)
      }
      let labels = verdict.deviceLabels.map { OutsideText.clean($0, limit: 40) }.joined(separator: " ")
      return AttestationFinding(verdict: "play-integrity: \(labels)")
    }
  }

  private func named<R>(_ body: () throws(AttestationRefusal) -> R) throws(AttestationFault) -> R {
    do throws(AttestationRefusal) { return try body() } catch {
      throw AttestationFault(error.reason.rawValue, error.message)
    }
  }

  private func apple(_ client: Client) throws(AttestationFault) -> AppAttestVerifier {
    guard let app = client.properties["apple-app-id"], AppID.isApple(app) else {
      throw AttestationFault("not-configured", "the client has no apple-app-id")
    }
    let isDevelopment = client.properties["apple-attest-environment"] == "development"
    return AppAttestVerifier(appID: app, environment: isDevelopment ? .development : .production, roots: roots)
  }

  private func google(_ client: Client) throws(AttestationFault) -> PlayIntegrityVerifier {
    guard let package = client.properties["android-package"], AppID.isAndroid(package),
      let keys = integrityKeys[package]
    else {
      throw AttestationFault("not-configured", "there are no keys of Play Integrity for the client's android-package")
    }
    let digests = AppID.fingerprints(client.properties["android-sha256-fingerprints"] ?? "")
      .compactMap { PlayIntegrityPolicy.certificateDigest($0) }
    var policy = PlayIntegrityPolicy(packageName: package, certificateDigests: Set(digests))
    switch client.properties["android-device"] {
    case "any": policy.device = .any
    case "basic": policy.device = .basic
    case "strong": policy.device = .strong
    default: policy.device = .device
    }
    return PlayIntegrityVerifier(keys: keys, policy: policy)
  }
}
