internal import BackendStore
internal import Basics
internal import JOSE
internal import OAuthHTTP
internal import SecureMemory

extension BackendCall {
  /// Looks at the attestation of a token request, before anything that the request brings is spent. The challenge is spent.
  func attest(_ form: FormFields, _ client: Client, _ grant: Grant) throws -> Attestation {
    let device = form.text("device_id")
    guard client.attestation != .off else { return Attestation(device: device, state: .off) }
    do {
      return Attestation(device: device, state: try evidence(form, client, grant, device))
    } catch let fault as AttestationFault {
      return Attestation(device: device, state: .refused(fault))
    }
  }

  /// The same attestation, unless it is seen already that it will not do.
  func demanded(_ attestation: Attestation, _ client: Client) throws -> Attestation {
    if case .refused(let fault) = attestation.state, client.attestation == .require {
      let fields = refusal(fault, attestation, client, user: nil)
      report("attestation.refused", fields, alert: true)
      throw unattested
    }
    return attestation
  }

  /// What the audit log is told of an attestation by the step that it was shown for; `misfit` is what that step says of it.
  func entries(
    _ attestation: Attestation, _ misfit: DeviceMisfit?, _ client: Client, user: String
  ) -> [AuditEntry] {
    switch (attestation.state, misfit) {
    case (.off, _): []
    case (.shown(_, let verdict), nil):
      [
        entry(
          "attestation.verified",
          ["user": user, "client": client.id, "device": attestation.device, "verdict": verdict])
      ]
    case (.refused(let fault), _):
      [entry("attestation.refused", refusal(fault, attestation, client, user: user))]
    case (.shown, let misfit?):
      [entry("attestation.refused", refusal(AttestationFault(misfit), attestation, client, user: user))]
    }
  }

  /// What a client is told whose device is not taken for genuine, whatever the reason.
  var unattested: OAuthError { .invalidGrant("the device could not be verified") }

  private func evidence(
    _ form: FormFields, _ client: Client, _ grant: Grant, _ device: String?
  ) throws -> Attestation.State {
    guard let name = form.text("attestation_type") else { throw AttestationFault(.nothing) }
    guard let kind = AttestationKind(rawValue: name) else {
      throw AttestationFault("type", "the server knows no such attestation_type")
    }
    guard let device, DeviceID.isValid(device) else {
      throw AttestationFault("device-missing", "the request names no device")
    }
    let challenge = try spentChallenge(form, client)
    guard let verifier = backend.attestation else {
      throw AttestationFault("not-verifiable", "the server is not set up to verify attestations")
    }
    let hash = unsafe form.withBytes(grant.credential) { unsafe SHA256.hash($0) } ?? SHA256.hash("")
    let data = Attestation.clientData(
      challenge: challenge, client: client.id, device: device, grant: grant, credentialHash: hash)
    switch kind {
    case .playIntegrity:
      guard let token = form.secret("attestation") else { throw AttestationFault("missing", "attestation is missing") }
      let nonce = Base64URL.encode(SHA256.hash(data))
      let finding = try verifier.verify(.playIntegrity(token: token, nonce: nonce), of: client, now: now)
      return .shown(.genuine, verdict: finding.verdict)
    case .appAttest:
      guard let keyID = form.text("key_id").flatMap(AnyBase64.decode), keyID.count == 32 else {
        throw AttestationFault("key-id", "key_id is missing or no id of a key")
      }
      switch (form.text("attestation"), form.text("assertion")) {
      case (let text?, nil):
        guard let object = AnyBase64.decode(text) else { throw unreadable }
        let finding = try verifier.verify(
          .appleKey(object: object, keyID: keyID, clientData: data), of: client, now: now)
        // Whose device it must be is known later; that it is another one's is seen before anything is spent.
        if let kept = try store.device(keyID: keyID), !isSame(kept.id, device) { throw AttestationFault(.keyTaken) }
        guard let key = finding.key else { throw AttestationFault("key-id", "the verifier found no key") }
        return .shown(.newKey(key), verdict: finding.verdict)
      case (nil, let text?):
        guard let object = AnyBase64.decode(text) else { throw unreadable }
        let key = try kept(keyID, of: device)
        let finding = try verifier.verify(
          .appleAssertion(object: object, clientData: data, key: key), of: client, now: now)
        guard let asserting = finding.key, asserting.counter > key.counter else { throw AttestationFault(.counter) }
        return .shown(.assertion(asserting), verdict: finding.verdict)
      default: throw AttestationFault("missing", "the request must have either attestation or assertion")
      }
    }
  }

  /// The key with this id that a device of this id brought. That the device is the user's is known later.
  private func kept(_ keyID: [UInt8], of device: String) throws -> DeviceKey {
    guard let kept = try store.device(keyID: keyID), isSame(kept.id, device), let key = kept.key else {
      throw AttestationFault(.otherKey)
    }
    return key
  }

  private var unreadable: AttestationFault { AttestationFault("malformed", "the attestation is not base64") }

  private func refusal(
    _ fault: AttestationFault, _ attestation: Attestation, _ client: Client, user: String?
  ) -> KeyValuePairs<String, String?> {
    [
      "reason": fault.reason, "detail": fault.message, "client": client.id, "user": user,
      "device": attestation.device, "policy": client.attestation.rawValue, "address": address,
    ]
  }
}
