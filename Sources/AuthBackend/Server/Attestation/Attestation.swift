internal import BackendStore
internal import Basics
internal import JOSE

/// What came of a token request's attestation as far as it can be told before it is known whose device it is.
struct Attestation {
  enum State {
    /// The client asks for none.
    case off
    /// Verified, in a word of the verifier's: a verdict, a new key, or an assertion by a key that is kept for a device of this id. That the
    /// device is the user's, and that no other request has brought the same counter, is for the store to see.
    case shown(DeviceFinding.Evidence, verdict: String)
    /// It is missing or not good.
    case refused(AttestationFault)
  }

  /// `device_id` of the request; nil when it has none.
  let device: String?
  let state: State

  /// What the store is to hold to the user's device, and to keep; nil when the client asks for nothing.
  func finding(for client: Client, at now: Timestamp) -> DeviceFinding? {
    let isRequired = client.attestation == .require
    switch state {
    case .off: return nil
    case .shown(let evidence, let verdict):
      return DeviceFinding(evidence, verdict: Device.Verdict(verdict, at: now), isRequired: isRequired)
    case .refused(let fault):
      let verdict = OutsideText.clean("refused: " + fault.reason, limit: 100)
      return DeviceFinding(.nothing, verdict: Device.Verdict(verdict, at: now), isRequired: isRequired)
    }
  }

  /// The bytes that an attestation is bound to: what is asked for, by which client and device, with which credential (its
  /// SHA-256) and challenge, a line each. So nobody can take one from another request.
  static func clientData(
    challenge: String, client: String, device: String, grant: Grant, credentialHash: [UInt8]
  ) -> [UInt8] {
    Array(
      ["mfs-attestation-1", challenge, client, device, grant.rawValue, Base64URL.encode(credentialHash)]
        .joined(separator: "\n").utf8)
  }
}

/// Ways of an attestation (`attestation_type`).
enum AttestationKind: String, CaseIterable {
  case appAttest = "apple-app-attest"
  case playIntegrity = "play-integrity"
}
