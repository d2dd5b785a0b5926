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

  init(client: Client, token: RefreshToken, successor: RefreshToken, rotation: Rotation) {
    (self.client, self.token, self.successor, self.rotation) = (client, token, successor, rotation)
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
    if let wait = backend.deviceLimiter.wait(token.handle) { throw tooOften(wait, client.id) }
    let successor = try RefreshToken.make(handle: token.handle)
    let device = form.text("device_id")
    var rotation = Rotation(
      handle: token.handle, presented: try backend.peppers.hashes(token, now: now),
      successor: try backend.peppers.hash(successor, now: now), client: client.id, device: device, now: now)
    rotation.scopes = try requestedScopes(form)
    rotation.failureLimit = settings.rotationFailures
    rotation.failureSeconds = settings.rotationFailureSeconds
    rotation.denyUntil = denyUntil
    rotation.wrongDeviceEnds = client.properties["wrong-device"] == "revoke"
    let isProven = try isProven(form, client, token, rotation.presented)
    let grace = isProven ? min(10, max(0, client.graceSeconds)) : 0
    if grace > 0, device != nil {
      rotation.graceSeconds = grace
      rotation.sealedSuccessor = try token.seal(successor: successor)
    }
    rotation.audit = recorded { [self] outcome in entries(outcome, client, device: device) }
    return Refresh(client: client, token: token, successor: successor, rotation: rotation)
  }

  /// What the audit log is told of a rotation: all but that it was done.
  private func entries(_ outcome: RotationOutcome, _ client: Client, device: String?) -> [AuditEntry] {
    switch outcome {
    case .rotated: []
    case .repeated(let family, _):
      [entry("refresh.repeated", ["sid": family.id, "client": client.id, "device": family.device])]
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
    switch outcome {
    case .rotated(let family, let user):
      return try tokens(
        family, OpenAccount(rotated: user), client, refresh: refresh.successor,
        scopes: rotation.scopes ?? family.scopes, nonce: nil)
    case .repeated(let family, let sealed):
      let account = try openAccount(family.user)
      guard let successor = refresh.token.openSuccessor(sealed) else { throw invalidGrant }
      tell(entries(outcome, client, device: rotation.device))
      return try tokens(
        family, account, client, refresh: successor, scopes: rotation.scopes ?? family.scopes, nonce: nil)
    case .refused(let refusal, _, _):
      tell(
        entries(outcome, client, device: rotation.device),
        alert: refusal == .replay || refusal == .failures || refusal == .device)
      // Perhaps because the client is gone, which was not looked at just now.
      _ = try known(try store.client(client.id))
      if refusal == .scope { throw OAuthError("invalid_scope", "more scope is asked for than was granted") }
      throw invalidGrant
    }
  }

  /// Whether a refresh may be answered by what its attestation says; it is looked at before anything is rotated. Throws
  /// `invalid_grant` for the live token without what the client asks for. A spent token is no reason to look further: that it came back
  /// ends its family with or without an attestation, and without one there is no grace for it.
  private func isProven(
    _ form: FormFields, _ client: Client, _ token: RefreshToken, _ presented: [KeyedHash]
  ) throws -> Bool {
    guard client.attestation != .off else { return true }
    guard let family = try store.family(handle: token.handle, presented: presented), family.end == nil,
      isSame(family.client, client.id)
    else { return false }
    do {
      try prove(attest(form, client, .refreshToken), client, user: family.user, isSignIn: false)
      return true
    } catch let error as OAuthError {
      guard !presented.contains(family.current) else { throw error }
      return false
    }
  }

  private func requestedScopes(_ form: FormFields) throws(OAuthError) -> [String]? {
    guard let text = form.text("scope") else { return nil }
    guard let scopes = ScopeText.split(text) else {
      throw OAuthError("invalid_scope", "the scope is no list of scopes")
    }
    return scopes
  }
}
