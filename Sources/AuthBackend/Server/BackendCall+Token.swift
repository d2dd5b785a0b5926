internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// The token endpoint (RFC 6749 3.2). Limits come before anything is looked up or hashed.
  func token() throws -> ServerResponse {
    let form = try form()
    let id = try clientID(form)
    let device = form.text("device_id")
    guard device.map({ DeviceID.isValid($0) }) ?? true else {
      throw OAuthError.invalidRequest("device_id is not one: 1 to 128 of A-Z a-z 0-9 . _ : -")
    }
    try limit(id)
    guard let name = form.text("grant_type") else { throw OAuthError.invalidRequest("grant_type is missing") }
    let client = try client(form)
    guard let grant = Grant(rawValue: name) else {
      throw OAuthError("unsupported_grant_type", "the server knows no such grant_type")
    }
    guard client.grants.contains(name) else {
      throw OAuthError("unauthorized_client", "this client may not use that grant_type")
    }
    switch grant {
    case .authorizationCode: return try redeemCode(form, client)
    case .refreshToken: return try refresh(form, client)
    case .deviceCode: return try pollDevice(form, client)
    case .tokenExchange: return try exchange(form, client)
    }
  }

  /// Throws `slow_down` when a client asks too often from one address.
  func limit(_ client: String) throws(OAuthError) {
    let place = AddressText.group(address)
    if let wait = backend.clientLimiter.take("\(client.utf8.count):\(client) \(place)") { throw tooOften(wait) }
  }

  private func tooOften(_ wait: Int64) -> OAuthError {
    backend.metrics.event("token.limited")
    var error = OAuthError("slow_down", "too many token requests; wait and try again", status: 429)
    error.retryAfter = wait
    return error
  }

  private func redeemCode(_ form: FormFields, _ client: Client) throws -> ServerResponse {
    guard let text = form.text("code") else { throw OAuthError.invalidRequest("code is missing") }
    guard let verifier = form.text("code_verifier") else {
      throw OAuthError.invalidRequest("code_verifier is missing: this server asks for PKCE")
    }
    guard let code = OpaqueToken(.code, text) else { throw unusableCode }
    let attestation = try demanded(attest(form, client, .authorizationCode), client)
    let handle = try RefreshToken.newHandle()
    let first = try RefreshToken.make(handle: handle)
    var redemption = Redemption(
      presented: try backend.peppers.hashes(code, now: now), client: client.id, redirectURI: form.text("redirect_uri"),
      challenge: PKCE.isVerifier(verifier) ? PKCE.challenge(of: verifier) : "", device: form.text("device_id"),
      handle: handle, id: "sess_" + (try TokenID.random()), first: try backend.peppers.hash(first, now: now),
      lifetimeSeconds: settings.familySeconds, idleSeconds: settings.idleSeconds, now: now)
    redemption.denyUntil = denyUntil
    switch try store.redeem(redemption) {
    case .redeemed(let family, let code):
      return try begun(family, .authorizationCode, form, client, attestation, first, nonce: code.nonce)
    case .refused(let refusal, let ended):
      report(
        "code.refused", ["reason": refusal.rawValue, "client": client.id, "sid": ended?.id, "address": address],
        alert: refusal == .replay)
      throw unusableCode
    }
  }

  private var unusableCode: OAuthError { .invalidGrant("the code is not valid: it is used, over, or another client's") }

  /// The tokens of a family that has begun just now.
  func begun(
    _ family: Family, _ grant: Grant, _ form: FormFields, _ client: Client, _ attestation: Attestation,
    _ first: RefreshToken, nonce: String?, extra: [JSONValue.Member] = []
  ) throws -> ServerResponse {
    let account = try openAccount(family.user)
    try see(family, form)
    do { try prove(attestation, client, user: family.user, isSignIn: true) } catch let error as OAuthError {
      try end(.id(family.id), .wrongDevice)
      throw error
    }
    report(
      "sign-in.completed",
      [
        "user": family.user, "client": client.id, "sid": family.id, "device": family.device, "grant": grant.rawValue,
        "address": address,
      ])
    return try tokens(family, account, client, refresh: first, scopes: family.scopes, nonce: nonce, extra: extra)
  }

  private func refresh(_ form: FormFields, _ client: Client) throws -> ServerResponse {
    guard let text = form.text("refresh_token") else { throw OAuthError.invalidRequest("refresh_token is missing") }
    guard let token = RefreshToken(text) else {
      report("refresh.refused", ["reason": "unknown", "client": client.id, "address": address])
      throw invalidGrant
    }
    if let wait = backend.deviceLimiter.wait(token.handle) { throw tooOften(wait) }
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
    switch try store.rotate(rotation) {
    case .rotated(let family):
      return try tokens(
        family, try openAccount(family.user), client, refresh: successor, scopes: rotation.scopes ?? family.scopes,
        nonce: nil)
    case .repeated(let family, let sealed):
      let account = try openAccount(family.user)
      guard let successor = token.openSuccessor(sealed) else { throw invalidGrant }
      report("refresh.repeated", ["sid": family.id, "client": client.id, "device": family.device])
      return try tokens(
        family, account, client, refresh: successor, scopes: rotation.scopes ?? family.scopes, nonce: nil)
    case .refused(let refusal, let family, let endedNow):
      report(
        "refresh.refused",
        [
          "reason": refusal.rawValue, "client": client.id, "sid": family?.id, "user": family?.user, "device": device,
          "ended": endedNow ? "now" : nil, "address": address,
        ], alert: refusal == .replay || refusal == .failures || refusal == .device)
      if refusal == .scope { throw OAuthError("invalid_scope", "more scope is asked for than was granted") }
      throw invalidGrant
    }
  }

  /// What every refresh token is told that is not good, so that nobody learns why.
  var invalidGrant: OAuthError { .invalidGrant("the token is not valid; sign in again") }

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

  /// The device registry learns that a device was used, and what the app calls it (`device_name`, `device_platform`).
  func see(_ family: Family, _ form: FormFields) throws(Failure) {
    guard let device = family.device else { return }
    let known = try store.device(user: family.user, id: device)
    let name = form.text("device_name").map { OutsideText.clean($0, limit: 64) }
    let platform = form.text("device_platform").map { OutsideText.clean($0, limit: 32) }
    _ = try store.see(
      Device(
        user: family.user, id: device, name: name ?? known?.name ?? device, platform: platform ?? known?.platform ?? "",
        at: now))
  }

  /// The answer with tokens (RFC 6749 5.1, OpenID Connect Core 3.1.3.3).
  func tokens(
    _ family: Family, _ account: OpenAccount, _ client: Client, refresh: RefreshToken, scopes: [String],
    nonce: String?, extra: [JSONValue.Member] = []
  ) throws -> ServerResponse {
    backend.deviceLimiter.count(family)
    let user = account.user
    let access = try backend.accessTokens.issue(
      AccessTokenGrant(
        subject: user.id, clientID: client.id, audiences: [client.audience], scopes: scopes, sessionID: family.id,
        deviceID: family.device, authTime: family.authTime), now: now
    ).text
    var members: [JSONValue.Member] = [
      .init("access_token", .string(access)), .init("token_type", "Bearer"),
      .init("expires_in", .integer(settings.accessTokenSeconds)),
    ]
    if client.grants.contains("refresh_token"), client.isFirstParty || family.scopes.contains("offline_access") {
      members.append(.init("refresh_token", .string(refresh.text)))
    }
    members.append(.init("scope", .string(scopes.joined(separator: " "))))
    if scopes.contains("openid") {
      let token = try backend.idTokens.issue(
        IDTokenGrant(
          subject: user.id, clientID: client.id, authTime: family.authTime, nonce: nonce, sessionID: family.id,
          scopes: scopes, claims: user.claims, accessToken: access), now: now
      ).text
      members.append(.init("id_token", .string(token)))
    }
    return json(.object(members + extra))
  }
}
