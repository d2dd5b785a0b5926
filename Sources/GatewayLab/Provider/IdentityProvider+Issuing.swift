internal import Basics
internal import JOSE
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

extension IdentityProvider {
  /// Issues tokens for a sign-in. They are dead at once when it has ended meanwhile.
  func issue(
    _ family: Int, nonce: String?, at endpoint: ProviderEndpoint, hasAccessToken: Bool = true, hasRefreshToken: Bool,
    hasIDToken: Bool = true, scopes: [String]? = nil
  ) throws(OAuthError) -> IssuedTokens {
    let options = options
    let now = clock()
    let signIn = state.withLock { $0.families[family] }
    var issued = IssuedTokens(expiresIn: options.accessTokenLifetime, scopes: scopes ?? signIn.scopes)
    if hasAccessToken {
      let secret = try makeSecret()
      issued.accessToken = secret.text
      let token = ProviderState.AccessToken(family: family, expires: now.advanced(by: options.accessTokenLifetime))
      state.withLock { state in
        state.tidy(now: now)
        state.accessTokens[secret.digest] = token
      }
    }
    if hasRefreshToken {
      let secret = try makeSecret()
      issued.refreshToken = secret.text
      let token = ProviderState.RefreshToken(family: family, expires: now.advanced(by: options.refreshTokenLifetime))
      state.withLock { $0.refreshTokens[secret.digest] = token }
    }
    if hasIDToken, signIn.scopes.contains("openid") {
      let fault = nextFault(.idToken, at: endpoint)
      let draft = IDTokenDraft(
        issuer: issuer, options: options, signIn: signIn, nonce: nonce, accessToken: issued.accessToken, now: now)
      do throws(Failure) { issued.idToken = try draft.signed(by: try signingKey(), fault) } catch {
        throw .serverError
      }
      issued.idTokenExpires = now.advanced(by: options.idTokenLifetime)
    }
    return issued
  }

  /// The user of an ID token that this provider signed, whenever that was; nil when it is none of ours.
  func subject(ofHint token: String) -> String? {
    let keys = JSONWebKeySet(state.withLock { $0.keys.map(\.publicKey) })
    guard let secret = try? SecureBytes(publicText: token),
      let verified = try? JWSVerifier().verify(secret, keys: keys),
      let claims = try? JSONReader.value(verified.payload), let issuer = claims["iss"]?.string,
      isSame(issuer, self.issuer), let audience = claims["aud"]?.string, isSame(audience, clientID)
    else { return nil }
    return claims["sub"]?.string
  }
}
