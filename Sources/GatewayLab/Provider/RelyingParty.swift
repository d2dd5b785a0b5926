internal import Basics
internal import JOSE
internal import SecureMemory
internal import Synchronization

/// The gateway's side of OpenID Connect: it knows the provider, keeps its keys, and validates tokens as Sync Gateway does.
/// Both run in one process, so nothing goes over a socket; what is wrong at the provider's endpoints is wrong here too.
final class RelyingParty: Sendable {
  let provider: IdentityProvider
  private let keys = Mutex<JSONWebKeySet?>(nil)
  private let isDiscovered = Mutex(false)

  init(_ provider: IdentityProvider) { self.provider = provider }

  /// Who a valid token is about, and until when it is good.
  struct Identity {
    let subject: String
    let claims: JSONValue
    let expires: Timestamp
  }

  /// Reads the provider's metadata, unless that was done before. Throws ``FailureCode/network``.
  func discover() throws(Failure) {
    guard !isDiscovered.withLock({ $0 }) else { return }
    try provider.checkBackChannel(.discovery)
    if provider.nextFault(.metadata, at: .discovery)?.kind == .foreignIssuer {
      throw Failure(.network, "the metadata are another issuer's")
    }
    isDiscovered.withLock { $0 = true }
  }

  /// Validates an ID token: issuer, audience, `exp` without a leeway, `nbf` with five minutes, signature. The gateway looks
  /// neither at `iat` nor at a nonce. Nil when it is not valid, whatever the reason.
  func validate(_ token: String, now: Timestamp) -> Identity? {
    guard (try? discover()) != nil, let secret = try? SecureBytes(publicText: token),
      let verified = try? JWSVerifier().verify(secret, keys: self),
      let claims = try? JSONReader.value(verified.payload), let issuer = claims["iss"]?.string,
      isSame(issuer, provider.issuer)
    else { return nil }
    let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
    let clientID = provider.clientID
    guard audiences.contains(where: { isSame($0, clientID) }), let subject = claims["sub"]?.string,
      case .integer(let end)? = claims["exp"], now.seconds < end
    else { return nil }
    if case .integer(let start)? = claims["nbf"], now.advanced(by: 300).seconds < start { return nil }
    return Identity(subject: subject, claims: claims, expires: Timestamp(seconds: end))
  }

  /// The name of the gateway's user for a token: the claim of the options, or the prefix and `sub`; nil without that claim.
  func userName(_ identity: Identity, _ options: OpenIDOptions) -> String? {
    guard let claim = options.usernameClaim else {
      let usual = percentEncoded(String(provider.issuer.drop { $0 != ":" }.dropFirst(3)), plusForBlank: true)
      return (options.userPrefix ?? usual) + "_" + percentEncoded(identity.subject, plusForBlank: true)
    }
    let value: String
    switch identity.claims[claim] {
    case .string(let text)? where !text.isEmpty: value = text
    case .integer(let number)?: value = String(number)
    case .number(let text)?: value = text
    default: return nil
    }
    return (options.userPrefix.map { $0 + "_" } ?? "") + percentEncoded(value, plusForBlank: true)
  }
}

extension RelyingParty: JSONWebKeySource {
  /// The keys from before while they have the one that is asked for; else new ones, as often as that happens.
  func keys(for header: JWSHeader) throws(TokenRefusal) -> [JSONWebKey] {
    if let kept = keys.withLock({ $0 }), let found = try? kept.keys(for: header) { return found }
    return try fetch().keys(for: header)
  }

  func newerKeys(for header: JWSHeader, tried: [JSONWebKey]) -> [JSONWebKey] {
    ((try? fetch().keys(for: header)) ?? []).filter { key in !tried.contains { $0.thumbprint == key.thumbprint } }
  }

  private func fetch() throws(TokenRefusal) -> JSONWebKeySet {
    do throws(Failure) {
      let fetched = try provider.fetchKeys()
      keys.withLock { $0 = fetched }
      return fetched
    } catch { throw TokenRefusal(.keysUnavailable, error.message) }
  }
}
