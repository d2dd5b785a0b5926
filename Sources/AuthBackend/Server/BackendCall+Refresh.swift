internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

/// A refresh token that was presented (RFC 6749 6), and what is asked of the store for it.
final class Refresh: Sendable {
  let client: Client
  let token: RefreshToken
  let successor: RefreshToken
  let rotation: Rotation
  let attestation: Attestation

  init(
    client: Client, token: RefreshToken, successor: RefreshToken, rotation: Rotation, attestation: Attestation
  ) {
    (self.client, self.token, self.successor) = (client, token, successor)
    (self.rotation, self.attestation) = (rotation, attestation)
  }
}

extension BackendCall {
  /// The first step of a token request: see ``Backend/begin(_:_:tell:)``.
  func beginToken(
    _ pending: PendingAnswer, _ finish: @escaping @Sendable (ServerResponse) -> ServerResponse
  ) -> FirstStep {
    do {
      let form = try form()
      guard let (client, token) = try refreshInMemory(form) else {
        return .worker { finish(self.answer(.token) { try self.token(form) }) }
      }
      _ = try admitted(form, client)
      let refresh = try prepare(token, form, client)
      store.rotate(refresh.rotation, isAlone: pending.isAlone) { result in
        let place: PendingAnswer.Place = if case .success(.rotated) = result { .sender } else { .worker }
        pending.finish(on: place) { finish(self.answer(.token) { try self.answer(refresh, try result.get()) }) }
      }
      return .later
    } catch let error as OAuthError {
      return .answer(finish(error.response))
    } catch {
      return .worker { finish(self.answer(.token, to: error)) }
    }
  }

  /// A refresh for which nothing has to be read but by its rotation, and that asks nobody: what is refused is written into the audit log,
  /// and an attestation may ask others. Nil for all else.
  private func refreshInMemory(_ form: FormFields) throws(OAuthError) -> (Client, RefreshToken)? {
    guard form.text("grant_type") == Grant.refreshToken.rawValue,
      let client = backend.clients.known(try clientID(form), in: store), client.isEnabled, client.attestation == .off,
      backend.keys.isFresh(now: now), backend.peppers.isFresh(now: now),
      let token = form.text("refresh_token").flatMap({ RefreshToken($0) })
    else { return nil }
    return (client, token)
  }

  func refresh(_ form: FormFields, _ client: Client) throws -> ServerResponse {
    guard let text = form.text("refresh_token") else { throw OAuthError.invalidRequest("refresh_token is missing") }
    guard let token = RefreshToken(text) else {
      report("refresh.refused", ["reason": "unknown", "client": client.id, "address": address])
      throw invalidGrant
    }
    let refresh = try prepare(token, form, client)
    return try answer(refresh, try store.rotate(refresh.rotation))
  }

  /// What is asked of the store. Waits for others only where the client's devices are attested, or keys have to be read.
  func prepare(_ token: RefreshToken, _ form: FormFields, _ client: Client) throws -> Refresh {
    let successor = try RefreshToken.make(handle: token.handle)
    let device = form.text("device_id")
    var rotation = Rotation(
      handle: token.handle, presented: try backend.peppers.hashes(token, now: now),
      successor: try backend.peppers.hash(successor, now: now), client: client.id, device: device, now: now)
    rotation.scopes = try requestedScopes(form)
    rotation.failureLimit = settings.rotationFailures
    rotation.failureSeconds = settings.rotationFailureSeconds
    rotation.denyUntil = denyUntil
    rotation.admission = admission
    rotation.wrongDeviceEnds = client.properties["wrong-device"] == "revoke"
    let attestation = try attestation(form, client, token, rotation.presented)
    rotation.finding = attestation.finding(for: client, at: now)
    let grace = min(10, max(0, client.graceSeconds))
    if grace > 0, device != nil {
      rotation.graceSeconds = grace
      rotation.sealedSuccessor = try token.seal(successor: successor)
    }
    rotation.audit = recorded { [self] outcome in entries(outcome, client, device: device, attestation) }
    return Refresh(
      client: client, token: token, successor: successor, rotation: rotation, attestation: attestation)
  }

  /// What the audit log is told of a rotation: all but that it was done.
  private func entries(
    _ outcome: RotationOutcome, _ client: Client, device: String?, _ attestation: Attestation
  ) -> [AuditEntry] {
    switch outcome {
    case .rotated(let family, _, let misfit): entries(attestation, misfit, client, user: family.user)
    case .repeated(let family, _, let misfit):
      entries(attestation, misfit, client, user: family.user) + [
        entry("refresh.repeated", ["sid": family.id, "client": client.id, "device": family.device])
      ]
    case .held: []
    case .unattested(let misfit, let family): entries(attestation, misfit, client, user: family.user)
    case .refused(let refusal, let family, let endedNow):
      [
        entry(
          "refresh.refused",
          [
            "reason": refusal.rawValue, "client": client.id, "sid": family?.id, "user": family?.user,
            "device": device, "ended": endedNow ? "now" : nil, "address": address,
          ])
      ]
    }
  }

  /// The answer to what the store made of it. Only that to a rotation waits for nobody.
  func answer(_ refresh: Refresh, _ outcome: RotationOutcome) throws -> ServerResponse {
    let client = refresh.client, rotation = refresh.rotation
    let entries = entries(outcome, client, device: rotation.device, refresh.attestation)
    switch outcome {
    case .rotated(let family, let user, _):
      tell(entries)
      return try tokens(
        family, OpenAccount(rotated: user), client, refresh: refresh.successor,
        scopes: rotation.scopes ?? family.scopes, nonce: nil)
    case .repeated(let family, let sealed, _):
      let account = try openAccount(family.user)
      guard let successor = refresh.token.openSuccessor(sealed) else { throw invalidGrant }
      tell(entries)
      return try tokens(
        family, account, client, refresh: successor, scopes: rotation.scopes ?? family.scopes, nonce: nil)
    case .held(let seconds): throw tooOften(seconds, client.id)
    case .unattested:
      tell(entries, alert: true)
      throw unattested
    case .refused(let refusal, _, _):
      tell(entries, alert: refusal == .replay || refusal == .failures || refusal == .device)
      // Perhaps because the client is gone, which was not looked at just now.
      _ = try known(try store.client(client.id))
      if refusal == .scope { throw OAuthError("invalid_scope", "more scope is asked for than was granted") }
      throw invalidGrant
    }
  }

  /// What the device shows. Only for a token of a sign-in that goes on is it looked at, since it costs; with any other, nothing was shown.
  private func attestation(
    _ form: FormFields, _ client: Client, _ token: RefreshToken, _ presented: [KeyedHash]
  ) throws -> Attestation {
    guard client.attestation != .off else { return Attestation(device: nil, state: .off) }
    guard let family = try store.family(handle: token.handle, presented: presented), family.end == nil,
      isSame(family.client, client.id)
    else { return Attestation(device: form.text("device_id"), state: .refused(AttestationFault(.nothing))) }
    return try attest(form, client, .refreshToken)
  }

  private func requestedScopes(_ form: FormFields) throws(OAuthError) -> [String]? {
    guard let text = form.text("scope") else { return nil }
    guard let scopes = ScopeText.split(text) else {
      throw OAuthError("invalid_scope", "the scope is no list of scopes")
    }
    return scopes
  }
}
