internal import Basics
internal import JOSE
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

// Each grant is taken under the lock, so that of two who bring the same one exactly one gets something.
extension IdentityProvider {
  /// Exchanges a code (RFC 6749 4.1.3, RFC 7636 4.6). Whatever comes of it, the code is used up; a second use ends what the
  /// first one brought.
  func exchange(
    code: SecureBox, redirect: String?, verifier: SecureBox?, byGateway: Bool
  ) throws(OAuthError) -> IssuedTokens {
    let digest = digest(code), now = clock(), options = options
    let given = verifier.map { unsafe $0.bytes.withBytes { unsafe Base64URL.encode(SHA256.hash($0)) } }
    let size = verifier?.bytes.count ?? 0
    let taken = state.withLock { state -> Result<ProviderState.Code, OAuthError> in
      guard var code = state.codes[digest] else { return .failure(.invalidGrant("the code is none of ours")) }
      guard !code.isUsed else {
        state.end(code.family)
        return .failure(.invalidGrant("the code was used before: what it brought has been revoked"))
      }
      code.isUsed = true
      state.codes[digest] = code
      guard now < code.expires else { return .failure(.invalidGrant("the code has expired")) }
      guard code.isGateways == byGateway else {
        return .failure(.invalidGrant("the code was issued to another client"))
      }
      guard let redirect, isSame(redirect, code.redirect) else {
        return .failure(.invalidGrant("the redirect_uri is not the one of the authorization request"))
      }
      // Also a verifier for a code that was asked for without a challenge is a sign of a swap (RFC 9700 2.1.1).
      let isProven = code.challenge.map { (43...128).contains(size) && given == $0 } ?? (given == nil)
      guard isProven else { return .failure(.invalidGrant("the code_verifier is not that of the code_challenge")) }
      return .success(code)
    }
    let code = try taken.get()
    return try issue(code.family, nonce: code.nonce, at: .token, hasRefreshToken: mayRefresh(code.family, options))
  }

  /// Exchanges a refresh token (RFC 6749 6). With rotation the token is used up; a second use ends the sign-in.
  func refresh(
    _ token: SecureBox, scope: String?, byGateway: Bool = false
  ) throws(OAuthError) -> IssuedTokens {
    let digest = digest(token), now = clock(), options = options
    let asked = scope.map { $0.split(separator: " ").map(String.init) }
    let taken = state.withLock { state -> Result<Int, OAuthError> in
      guard var token = state.refreshTokens[digest] else {
        return .failure(.invalidGrant("the refresh token is none of ours"))
      }
      guard !token.isUsed else {
        state.end(token.family)
        return .failure(.invalidGrant("the refresh token was used before: the sign-in has been ended"))
      }
      guard now < token.expires, state.families[token.family].isAlive else {
        return .failure(.invalidGrant("the refresh token has expired or was revoked"))
      }
      guard state.families[token.family].isGateways == byGateway else { return .failure(.anotherClients) }
      if let asked, !Set(asked).isSubset(of: state.families[token.family].scopes) {
        return .failure(OAuthError("invalid_scope", "the scope is more than was granted"))
      }
      token.isUsed = options.rotatesRefreshTokens
      state.refreshTokens[digest] = token
      return .success(token.family)
    }
    // Without a nonce (OpenID Connect Core 12.2).
    return try issue(
      try taken.get(), nonce: nil, at: .token, hasRefreshToken: options.rotatesRefreshTokens,
      hasIDToken: options.refreshBringsIDToken, scopes: asked)
  }

  /// Exchanges a device code (RFC 8628 3.4 and 3.5).
  func exchange(deviceCode: SecureBox) throws(OAuthError) -> IssuedTokens {
    let digest = digest(deviceCode), now = clock(), options = options
    let taken = state.withLock { state -> Result<Int, OAuthError> in
      guard var device = state.devices[digest] else {
        return .failure(.invalidGrant("the device code is none of ours"))
      }
      guard now < device.expires else { return .failure(OAuthError("expired_token", "the device code has expired")) }
      switch device.decision {
      case .denied:
        state.devices[digest] = nil
        return .failure(OAuthError("access_denied", "the person said no"))
      case .approved(let user, let authenticated):
        state.devices[digest] = nil
        return .success(state.begin(.init(user: user, scopes: device.scopes, authenticated: authenticated)))
      case .pending:
        let isEarly = device.lastAsked.map { now < $0.advanced(by: device.interval) } ?? false
        if isEarly { device.interval += 5 }
        device.lastAsked = now
        state.devices[digest] = device
        return .failure(
          isEarly
            ? OAuthError("slow_down", "wait five seconds longer between two questions")
            : OAuthError("authorization_pending", "nobody has typed the code yet"))
      }
    }
    let family = try taken.get()
    return try issue(family, nonce: nil, at: .token, hasRefreshToken: mayRefresh(family, options))
  }

  private func mayRefresh(_ family: Int, _ options: ProviderOptions) -> Bool {
    switch options.refreshTokens {
    case .always: true
    case .offlineAccess: state.withLock { $0.families[family].scopes.contains("offline_access") }
    case .never: false
    }
  }
}
