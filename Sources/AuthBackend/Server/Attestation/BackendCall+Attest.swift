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
      throw refusal(fault, attestation, client, user: nil)
    }
    return attestation
  }

  /// Holds an attestation to the user's device and writes down what came of it. At a sign-in a device may bring a new key; at a refresh it
  /// must show the one that is kept, if there is one. Throws `invalid_grant` when it is not good and the client requires one.
  func prove(_ attestation: Attestation, _ client: Client, user: String, isSignIn: Bool) throws {
    if case .off = attestation.state { return }
    do {
      let finding = try settled(attestation, client, user, isSignIn)
      report(
        "attestation.verified",
        ["user": user, "client": client.id, "device": attestation.device, "verdict": finding.verdict])
    } catch let fault as AttestationFault {
      try note("refused: " + fault.reason, user, attestation.device)
      let error = refusal(fault, attestation, client, user: user)
      if client.attestation == .require { throw error }
    }
  }

  private func evidence(
    _ form: FormFields, _ client: Client, _ grant: Grant, _ device: String?
  ) throws -> Attestation.State {
    guard let name = form.text("attestation_type") else {
      throw AttestationFault("missing", "the request has no attestation")
    }
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
      let requestHash = AttestationText.encode(SHA256.hash(data))
      return .found(try verifier.verify(.playIntegrity(token: token, requestHash: requestHash), of: client, now: now))
    case .appAttest:
      guard let keyID = form.text("key_id").flatMap(AttestationText.decode), keyID.count == 32 else {
        throw AttestationFault("key-id", "key_id is missing or no id of a key")
      }
      switch (form.text("attestation"), form.text("assertion")) {
      case (let text?, nil):
        guard let object = AttestationText.decode(text) else { throw unreadable }
        let finding = try verifier.verify(
          .appleKey(object: object, keyID: keyID, clientData: data), of: client, now: now)
        // Whose device it must be is known later; that it is another one's is seen before anything is spent.
        if let kept = try store.device(keyID: keyID), !isSame(kept.id, device) { throw keyTaken }
        return .found(finding)
      case (nil, let text?):
        guard let object = AttestationText.decode(text) else { throw unreadable }
        let key = try kept(keyID, of: device)
        let finding = try verifier.verify(
          .appleAssertion(object: object, clientData: data, key: key), of: client, now: now)
        guard let counter = finding.key?.counter, counter > key.counter else { throw counterNotRising }
        return .asserted(finding)
      default: throw AttestationFault("missing", "the request must have either attestation or assertion")
      }
    }
  }

  /// The key with this id that a device of this id brought. That the device is the user's is known later.
  private func kept(_ keyID: [UInt8], of device: String) throws -> DeviceKey {
    guard let kept = try store.device(keyID: keyID), isSame(kept.id, device), let key = kept.key else {
      throw anotherKey
    }
    return key
  }

  private var keyTaken: AttestationFault {
    AttestationFault("key-taken", "the key is kept for another device or another user: an app makes one for each")
  }

  private var anotherKey: AttestationFault {
    AttestationFault("key-mismatch", "the key is not the one that is kept for the device")
  }

  private var counterNotRising: AttestationFault {
    AttestationFault("counter", "the assertion's counter is not above the last one")
  }

  private var unreadable: AttestationFault { AttestationFault("malformed", "the attestation is not base64") }

  private func settled(
    _ attestation: Attestation, _ client: Client, _ user: String, _ isSignIn: Bool
  ) throws -> AttestationFinding {
    if case .refused(let fault) = attestation.state { throw fault }
    guard let id = attestation.device, let device = try store.device(user: user, id: id) else {
      throw AttestationFault("device-unknown", "the user has no such device")
    }
    switch attestation.state {
    case .off, .refused: throw AttestationFault("missing", "the request has no attestation")
    case .found(let finding):
      guard isSignIn || device.key == nil else {
        throw AttestationFault("key-mismatch", "the device has a key and did not sign with it")
      }
      let verdict = Device.Verdict(finding.verdict, at: now)
      if let key = finding.key {
        do throws(Failure) { try store.setKey(key, verdict: verdict, user: user, device: id) } catch {
          guard error.code == .exists else { throw error }
          throw keyTaken
        }
      } else {
        try store.setVerdict(verdict, user: user, device: id)
      }
      return finding
    case .asserted(let finding):
      guard let key = finding.key, key.id == device.key?.id, key.publicKey == device.key?.publicKey else {
        throw anotherKey
      }
      // Of two requests with one assertion only the first raises it.
      guard try store.raiseCounter(to: key.counter, keyID: key.id, user: user, device: id) else {
        throw counterNotRising
      }
      try store.setVerdict(Device.Verdict(finding.verdict, at: now), user: user, device: id)
      return finding
    }
  }

  private func note(_ verdict: String, _ user: String, _ device: String?) throws(Failure) {
    guard let device, try store.device(user: user, id: device) != nil else { return }
    do throws(Failure) {
      try store.setVerdict(Device.Verdict(OutsideText.clean(verdict, limit: 100), at: now), user: user, device: device)
    } catch { guard error.code == .notFound else { throw error } }
  }

  private func refusal(
    _ fault: AttestationFault, _ attestation: Attestation, _ client: Client, user: String?
  ) -> OAuthError {
    report(
      "attestation.refused",
      [
        "reason": fault.reason, "detail": fault.message, "client": client.id, "user": user,
        "device": attestation.device, "policy": client.attestation.rawValue, "address": address,
      ], alert: client.attestation == .require)
    return .invalidGrant("the device could not be verified")
  }
}
