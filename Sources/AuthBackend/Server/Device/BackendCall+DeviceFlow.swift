internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// `POST /oauth/device_authorization` (RFC 8628 3.1): a device code for the device, a user code for its user.
  func deviceAuthorization() throws -> ServerResponse {
    let form = try form()
    let device = form.text("device_id")
    let client = try limitedClient(form)
    guard client.grants.contains(Grant.deviceCode.rawValue) else {
      throw OAuthError(
        "unauthorized_client", "this client is not registered for the grant \(Grant.deviceCode.rawValue)")
    }
    let scopes = try client.scopes(askedFor: form.text("scope"))
    try client.check(device: device)
    let code = try OpaqueToken(.device)
    let userCode = try keep(code, client, device, scopes)
    // Anybody may ask, and nothing has happened yet: that is counted and does not fill the audit log.
    backend.metrics.event("device-code.issued")
    let page = settings.issuer + Endpoint.device.rawValue
    return json([
      "device_code": .string(code.text), "user_code": .string(UserCode.shown(userCode)),
      "verification_uri": .string(page),
      "verification_uri_complete": .string(page + "?user_code=" + UserCode.shown(userCode)),
      "expires_in": .integer(settings.deviceCodeSeconds), "interval": .integer(settings.devicePollSeconds),
    ])
  }

  // A user code that stands for another sign-in is a matter of chance: the next one does not.
  private func keep(
    _ code: OpaqueToken, _ client: Client, _ device: String?, _ scopes: [String]
  ) throws(Failure) -> String {
    let hash = try backend.peppers.hash(code, now: now)
    for _ in 0..<8 {
      let userCode = UserCode.random()
      do throws(Failure) {
        try store.add(
          DeviceAuthorization(
            hash: hash, userCode: userCode, client: client.id, device: device, scopes: scopes, createdAt: now,
            expiresAt: now.advanced(by: settings.deviceCodeSeconds), intervalSeconds: settings.devicePollSeconds))
        return userCode
      } catch { guard error.code == .exists else { throw error } }
    }
    throw Failure(.exists, "no user code is free")
  }

  /// The device asks whether its user has decided (RFC 8628 3.4 and 3.5).
  func pollDevice(_ form: FormFields, _ client: Client) throws -> ServerResponse {
    guard let text = form.text("device_code") else { throw OAuthError.invalidRequest("device_code is missing") }
    let unusable = OAuthError.invalidGrant("the device code is not valid: it is used, or another client's")
    guard let code = OpaqueToken(.device, text) else { throw unusable }
    let attestation = try demanded(attest(form, client, .deviceCode), client)
    let handle = try RefreshToken.newHandle()
    let first = try RefreshToken.make(handle: handle)
    var poll = DevicePoll(
      presented: try backend.peppers.hashes(code, now: now), client: client.id, device: form.text("device_id"),
      handle: handle, id: "sess_" + (try TokenID.random()), first: try backend.peppers.hash(first, now: now),
      lifetimeSeconds: settings.familySeconds, idleSeconds: settings.idleSeconds, now: now)
    poll.admission = admission
    poll.description = description(form, attestation, client)
    let audit: Auditing<PollOutcome> = { [self] outcome in
      switch outcome {
      case .granted(let family, _, let misfit): entries(family, .deviceCode, client, attestation, misfit)
      case .unattested(let misfit, let code): entries(attestation, misfit, client, user: code.user ?? "")
      case .pending, .slowDown, .denied, .expired, .unknown, .client, .device, .user, .held: []
      }
    }
    poll.audit = recorded(audit)
    let refused = { [self] (reason: String, user: String?) in
      report("device-code.refused", ["reason": reason, "user": user, "client": client.id, "address": address])
    }
    let outcome = try store.poll(poll)
    switch outcome {
    case .granted(let family, _, _):
      tell(audit(outcome))
      return try begun(family, client, first, nonce: nil)
    case .held(let seconds): throw tooOften(seconds, client.id)
    case .unattested:
      tell(audit(outcome), alert: true)
      throw unattested
    case .pending: throw OAuthError("authorization_pending", "the user has not decided yet")
    case .slowDown(let seconds):
      throw OAuthError("slow_down", "the device asks too often; \(seconds) seconds must be between two times")
    case .denied: throw OAuthError("access_denied", "the user refused")
    case .expired: throw OAuthError("expired_token", "the device code is over; ask for a new one")
    case .unknown: refused("unknown", nil)
    case .client: refused("client", nil)
    case .device: refused("device", nil)
    case .user(let user): refused("user", user)
    }
    throw unusable
  }
}
