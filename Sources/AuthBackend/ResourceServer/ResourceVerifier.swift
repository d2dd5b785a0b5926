public import Basics
public import JOSE

/// What a resource server asks about a request: whether its bearer token (RFC 6750) is an access token (RFC 9068) of the
/// authorization server, for this resource server, not denied, and with the scopes that are needed.
public struct ResourceVerifier<Keys: JSONWebKeySource & Sendable>: Sendable {
  private let validator: AccessTokenValidator
  private let keys: Keys
  private let denials: DenialList?

  /// A verifier. `keys` are the issuer's, such as a ``JWKSCache``; without `denials` a token counts until it is over.
  public init(
    issuer: String, audience: String, algorithms: Set<JWSAlgorithm> = [.edDSA, .rs256], keys: Keys,
    denials: DenialList?,
    leeway: Int64 = TokenTime.leeway
  ) {
    validator = AccessTokenValidator(issuer: issuer, audience: audience, algorithms: algorithms, leeway: leeway)
    self.keys = keys
    self.denials = denials
  }

  /// What the token of a request says. `authorization` is the value of its `Authorization`; nil when it has none.
  public func verify(
    authorization: String?, requiring scopes: [String] = [], now: Timestamp = .now()
  ) throws(ResourceRefusal) -> AccessToken {
    guard var value = authorization else { throw .noToken }
    let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
    // Of another scheme: for this one the request has no token.
    guard String(Substring(scheme)).lowercased() == "bearer" else { throw .noToken }
    let skipped = scheme.count + value.utf8.dropFirst(scheme.count).prefix { $0 == UInt8(ascii: " ") }.count
    guard skipped > scheme.count, value.utf8.count > skipped else { throw .malformed }
    let verdict: Result<AccessToken, TokenRefusal> = value.withUTF8 { bytes in
      do throws(TokenRefusal) {
        return .success(
          try unsafe check(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[skipped...]), now))
      } catch { return .failure(error) }
    }
    let token: AccessToken
    do throws(TokenRefusal) { token = try verdict.get() } catch { throw ResourceRefusal(error) }
    let missing = scopes.filter { scope in !token.scopes.contains { $0.utf8.elementsEqual(scope.utf8) } }
    guard missing.isEmpty else { throw ResourceRefusal(missing: scopes) }
    return token
  }

  private func check(_ token: UnsafeRawBufferPointer, _ now: Timestamp) throws(TokenRefusal) -> AccessToken {
    let token = try unsafe validator.validate(token, keys: keys, now: now)
    try denials?.check(token, now: now)
    return token
  }
}
