internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import JOSE
internal import OAuthHTTP

extension BackendCall {
  private static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
  private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

  /// Native sign-in: a provider's ID token for tokens of ours (RFC 8693 2). For clients of our own alone, since nobody is asked for
  /// consent.
  func exchange(_ form: FormFields, _ client: Client) throws -> ServerResponse {
    guard client.isFirstParty else {
      throw OAuthError("unauthorized_client", "ID tokens of others are for clients of the operator's own")
    }
    guard form.text("subject_token_type") == BackendCall.idTokenType else {
      throw OAuthError.invalidRequest("the one subject_token_type is \(BackendCall.idTokenType)")
    }
    guard form.text("requested_token_type").map({ $0 == BackendCall.accessTokenType }) ?? true else {
      throw OAuthError.invalidRequest("the one requested_token_type is \(BackendCall.accessTokenType)")
    }
    guard form.text("actor_token") == nil, form.text("actor_token_type") == nil else {
      throw OAuthError.invalidRequest("nobody can act for another here: there must be no actor_token")
    }
    guard form.text("resource") == nil, form.text("audience").map({ isSame($0, client.audience) }) ?? true else {
      throw OAuthError("invalid_target", "this client's tokens are not for that")
    }
    let scopes = try client.scopes(askedFor: form.text("scope"))
    let device = form.text("device_id")
    try client.check(device: device)
    let attestation = try demanded(attest(form, client, .tokenExchange), client)
    var (token, provider, proof) = try providerToken(form, client)
    let user = try account(of: token, provider, client)
    let account: OpenAccount
    do { account = try openAccount(user) } catch is OAuthError {
      // In the words of every other refusal: whether there is an account, and that it is shut, is not told.
      throw refused("user", provider.name, client)
    }
    // Whoever unlinks it from now on keeps this sign-in from beginning.
    proof.identity = .init(
      issuer: provider.name, subject: IdentityLinks(store: store, provider: provider).key(token.subject))
    let handle = try RefreshToken.newHandle()
    let first = try RefreshToken.make(handle: handle)
    let family = Family(
      id: "sess_" + (try TokenID.random()), handle: handle, user: account.user.id, client: client.id, device: device,
      scopes: scopes, authTime: min(token.authenticated ?? token.issued, now), createdAt: now,
      expiresAt: now.advanced(by: settings.familySeconds), idleSeconds: settings.idleSeconds,
      current: try backend.peppers.hash(first, now: now))
    let audit: Auditing<BeginOutcome> = { [self] outcome in
      switch outcome {
      case .begun(let misfit): entries(family, .tokenExchange, client, attestation, misfit)
      case .unattested(let misfit): entries(attestation, misfit, client, user: family.user)
      case .held, .replay, .user, .unlinked: []
      }
    }
    let outcome = try store.begin(
      family, on: description(form, attestation, client), spending: proof, admission: admission,
      audit: recorded(audit))
    switch outcome {
    case .begun:
      tell(audit(outcome))
      return try begun(
        family, client, first, nonce: form.text("nonce"),
        extra: [.init("issued_token_type", .string(BackendCall.accessTokenType))])
    case .held(let seconds): throw tooOften(seconds, client.id)
    case .unattested:
      tell(audit(outcome), alert: true)
      throw unattested
    case .replay: throw refused("replay", provider.name, client, alert: true)
    case .user: throw refused("user", provider.name, client)
    case .unlinked: throw refused("unlinked", provider.name, client)
    }
  }

  /// Whose account a provider's subject has: the one it is linked to; else the one of its e-mail address, if the provider says that it
  /// verified that; else a new one, if the client has `native-new-users: create`. Throws `invalid_grant`.
  private func account(of token: IDToken, _ provider: IdentityProvider, _ client: Client) throws -> String {
    let links = IdentityLinks(store: store, provider: provider)
    if let account = try links.account(of: token.subject) { return account }
    let email = verifiedEmail(token)
    if let email, let user = try store.user(named: email) {
      try link(token, to: user.id, links, client)
      return user.id
    }
    guard client.properties["native-new-users"] == "create" else { throw refused("no-account", provider.name, client) }
    return try newAccount(token, email, links, client)
  }

  /// Links a subject to an account that was there before, which is recorded where it was not linked. Throws `invalid_grant` for an account
  /// that is another subject's.
  private func link(_ token: IDToken, to user: String, _ links: IdentityLinks, _ client: Client) throws {
    let record = entry("identity.linked", ["user": user, "provider": links.provider.name, "client": client.id])
    let isNew = Monitor(false)
    let isLinked = try links.link(token.subject, to: user, at: now) { changed in
      isNew.withLock(wake: .nobody) { $0 = changed }
      return changed ? [record] : []
    }
    guard isLinked else { throw refused("linked-to-another", links.provider.name, client, alert: true) }
    if isNew.withLock(wake: .nobody, { $0 }) { tell([record]) }
  }

  private func newAccount(
    _ token: IDToken, _ email: String?, _ links: IdentityLinks, _ client: Client
  ) throws -> String {
    let key = links.key(token.subject)
    // The id follows from the subject, so that two first sign-ins at the same time make one account.
    let id = "user_" + key.prefix(22)
    guard try store.user(id: id) == nil else {
      // It began with this subject, whose link was taken away.
      try link(token, to: id, links, client)
      return id
    }
    let name = email ?? "\(links.provider.name)/\(key)"
    var user = User(id: id, name: name, passwordHash: nil, createdAt: now)
    for claim in ["name", "given_name", "family_name"] {
      if let text = token.claims[claim]?.string { user.claims[claim] = .string(OutsideText.clean(text, limit: 128)) }
    }
    if let email {
      user.claims["email"] = .string(email)
      user.claims["email_verified"] = .bool(true)
    }
    do throws(Failure) {
      let record = entry("user.created", ["user": id, "provider": links.provider.name, "client": client.id])
      try store.add(user) { [record] }
      tell([record])
    } catch {
      // Another sign-in of the same subject was first.
      guard error.code == .exists, try store.user(id: id) != nil else { throw error }
    }
    guard try links.link(token.subject, to: id, at: now) else {
      throw refused("linked-to-another", links.provider.name, client)
    }
    return id
  }

  /// The e-mail address, in lower case, where the provider says that it is the user's; Apple says it in a text. Nil for one that would
  /// be a name of ours only as Unicode folds it: with the Kelvin sign for a K, it is another mailbox than that of who has the name.
  private func verifiedEmail(_ token: IDToken) -> String? {
    let verified = token.claims["email_verified"]
    guard verified == .bool(true) || verified?.string == "true", let email = token.claims["email"]?.string,
      email.contains("@"), (3...254).contains(email.utf8.count), email.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return nil }
    let address = UserName.lowerASCII(email)
    return isSame(UserName.canonical(address), address) ? address : nil
  }
}
