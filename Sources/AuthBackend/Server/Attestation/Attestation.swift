internal import BackendStore

/// What came of a token request's attestation as far as it can be told before it is known whose device it is.
struct Attestation {
  enum State {
    /// The client asks for none.
    case off
    /// Verified: a new key, or a verdict.
    case found(AttestationFinding)
    /// Verified: an assertion by a key that is kept for a device of this id; it must turn out to be the user's.
    case asserted(AttestationFinding)
    /// It is missing or not good.
    case refused(AttestationFault)
  }

  /// `device_id` of the request; nil when it has none.
  let device: String?
  let state: State

  /// The bytes that an attestation is bound to: what is asked for, by which client and device, with which credential (its
  /// SHA-256) and challenge, a line each. So nobody can take one from another request.
  static func clientData(
    challenge: String, client: String, device: String, grant: Grant, credentialHash: [UInt8]
  ) -> [UInt8] {
    Array(
      ["mfs-attestation-1", challenge, client, device, grant.rawValue, AttestationText.encode(credentialHash)]
        .joined(separator: "\n").utf8)
  }
}

/// Ways of an attestation (`attestation_type`).
enum AttestationKind: String, CaseIterable {
  case appAttest = "apple-app-attest"
  case playIntegrity = "play-integrity"
}
