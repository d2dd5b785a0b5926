internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// The token endpoint (RFC 6749 3.2).
  func token(_ form: FormFields) throws -> ServerResponse {
    let id = try clientID(form), isRefresh = form.text("grant_type") == Grant.refreshToken.rawValue
    let found = isRefresh ? try backend.clients.find(id, in: store) : try store.client(id)
    let (grant, client) = try admitted(form, found)
    switch grant {
    case .authorizationCode: return try redeemCode(form, client)
    case .refreshToken: return try refresh(form, client)
    case .deviceCode: return try pollDevice(form, client)
    case .tokenExchange: return try exchange(form, client)
    }
  }

  /// What a token request is for, and the client that was looked up for it, once it is known that it may be answered. Limits come before
  /// anything is hashed or spent.
  func admitted(_ form: FormFields, _ found: Client?) throws -> (Grant, Client) {
    try DeviceID.check(form.text("device_id"))
    try limit(found)
    guard let name = form.text("grant_type") else { throw OAuthError.invalidRequest("grant_type is missing") }
    let client = try known(found)
    guard let grant = Grant(rawValue: name) else {
      throw OAuthError("unsupported_grant_type", "the server knows no such grant_type")
    }
    guard client.grants.contains(name) else {
      throw OAuthError("unauthorized_client", "this client is not registered for the grant \(name)")
    }
    // Before anything is spent: what cannot be signed must not cost the client its token.
    _ = try backend.keys.signingKey(now: now)
    return (grant, client)
  }

  /// Throws `slow_down` when a client asks too often from one address. All that are not there are one, or whoever makes up their ids would
  /// have a share for each.
  func limit(_ client: Client?) throws(OAuthError) {
    let name = client?.id ?? "", place = AddressText.group(address)
    if let wait = backend.clientLimiter.take("\(name.utf8.count):\(name) \(place)") { throw tooOften(wait, client?.id) }
  }

  /// The client that a form names, within its limit.
  func limitedClient(_ form: FormFields) throws -> Client {
    let found = try store.client(try clientID(form))
    try limit(found)
    return try known(found)
  }

  /// Whether a user's device may be given tokens now, as the store asks it.
  var admission: Admission {
    { [limiter = backend.deviceLimiter] user, device in limiter.take(user: user, device: device) }
  }

  /// What a client is told that asks too often.
  func tooOften(_ wait: Int64, _ client: String?) -> OAuthError {
    announce("token.limited", ["client": client, "address": address], alert: true)
    return tooMany("too many token requests; wait and try again", wait)
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
    redemption.admission = admission
    redemption.description = description(form, attestation, client)
    let audit: Auditing<RedemptionOutcome> = { [self] outcome in
      switch outcome {
      case .redeemed(let family, _, let misfit): entries(family, .authorizationCode, client, attestation, misfit)
      case .held: []
      case .unattested(let misfit, let code): entries(attestation, misfit, client, user: code.user)
      case .refused(let refusal, let user, let ended):
        [
          entry(
            "code.refused",
            [
              "reason": refusal.rawValue, "user": user, "client": client.id, "sid": ended?.id, "address": address,
            ])
        ]
      }
    }
    redemption.audit = recorded(audit)
    let outcome = try store.redeem(redemption)
    switch outcome {
    case .redeemed(let family, let code, _):
      tell(audit(outcome))
      return try begun(family, client, first, nonce: code.nonce)
    case .held(let seconds): throw tooOften(seconds, client.id)
    case .unattested:
      tell(audit(outcome), alert: true)
      throw unattested
    case .refused(let refusal, _, _):
      tell(audit(outcome), alert: refusal == .replay)
      throw unusableCode
    }
  }

  // One text for all, so that who has somebody else's code learns nothing of it by trying.
  private var unusableCode: OAuthError {
    .invalidGrant(
      "the code is not valid: it is used or over, or client, redirect_uri, code_verifier or device are not those it was asked for with"
    )
  }

  /// The tokens of a family that has begun just now.
  func begun(
    _ family: Family, _ client: Client, _ first: RefreshToken, nonce: String?, extra: [JSONValue.Member] = []
  ) throws -> ServerResponse {
    let account = try openAccount(family.user)
    return try tokens(family, account, client, refresh: first, scopes: family.scopes, nonce: nonce, extra: extra)
  }

  /// What the audit log is told of a sign-in by the step that begins its family.
  func entries(
    _ family: Family, _ grant: Grant, _ client: Client, _ attestation: Attestation, _ misfit: DeviceMisfit?
  ) -> [AuditEntry] {
    entries(attestation, misfit, client, user: family.user) + [
      entry(
        "sign-in.completed",
        [
          "user": family.user, "client": client.id, "sid": family.id, "device": family.device, "grant": grant.rawValue,
          "address": address,
        ])
    ]
  }

  /// What every refresh token is told that is not good, so that nobody learns why.
  var invalidGrant: OAuthError { .invalidGrant("the token is not valid; sign in again") }

  /// What an app calls the device that it signs in on (`device_name`, `device_platform`), and what the device showed.
  func description(_ form: FormFields, _ attestation: Attestation, _ client: Client) -> DeviceDescription {
    DeviceDescription(
      name: form.text("device_name").map { OutsideText.clean($0, limit: 64) },
      platform: form.text("device_platform").map { OutsideText.clean($0, limit: 32) },
      finding: attestation.finding(for: client, at: now))
  }

  /// The answer with tokens (RFC 6749 5.1, OpenID Connect Core 3.1.3.3).
  func tokens(
    _ family: Family, _ account: OpenAccount, _ client: Client, refresh: RefreshToken, scopes: [String],
    nonce: String?, extra: [JSONValue.Member] = []
  ) throws -> ServerResponse {
    let user = account.user
    let access = try backend.accessTokens.issue(
      AccessTokenGrant(
        subject: user.id, clientID: client.id, audiences: [client.audience], scopes: scopes, sessionID: family.id,
        deviceID: family.device, authTime: family.authTime), now: now
    ).text
    var members = JSONWriter(capacity: 2_048)
    members.add("access_token", plain: access)
    members.add("token_type", "Bearer")
    members.add("expires_in", settings.accessTokenSeconds)
    if client.grants.contains("refresh_token"), client.isFirstParty || family.scopes.contains("offline_access") {
      members.add("refresh_token", refresh.text)
    }
    members.add("scope", scopes.joined(separator: " "))
    if scopes.contains("openid") {
      let token = try backend.idTokens.issue(
        IDTokenGrant(
          subject: user.id, clientID: client.id, authTime: family.authTime, nonce: nonce, sessionID: family.id,
          scopes: scopes, claims: user.claims, accessToken: access), now: now
      ).text
      members.add("id_token", plain: token)
    }
    for member in extra { members.add(member.name, value: member.value) }
    return json(members.object())
  }
}
