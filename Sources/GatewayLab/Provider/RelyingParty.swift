internal import Basics
internal import HTTPClient
internal import JOSE
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

/// The gateway's side of OpenID Connect: it knows a provider, keeps its keys, and validates tokens as Sync Gateway does.
///
/// The lab's own provider is in the same process, so nothing goes over a socket; what is wrong at its endpoints is wrong
/// here too. Another one is asked over HTTP.
final class RelyingParty: Sendable {
  /// The lab's own provider; nil for another one.
  let provider: IdentityProvider?
  /// The issuer whose tokens are taken.
  let issuer: String
  /// The client that they must be for.
  var clientID: String { provider?.clientID ?? foreignClientID }
  private let foreignClientID: String
  private let keys = Mutex<JSONWebKeySet?>(nil)
  private let place = Mutex<HTTPURL?>(nil)
  private let isDiscovered = Mutex(false)

  init(_ provider: IdentityProvider) {
    self.provider = provider
    issuer = provider.issuer
    foreignClientID = ""
  }

  /// A provider that is not the lab's.
  init(issuer: String, clientID: String) {
    provider = nil
    self.issuer = issuer
    foreignClientID = clientID
  }

  /// Who a valid token is about, and until when it is good.
  struct Identity {
    let subject: String
    let claims: JSONValue
    let expires: Timestamp
  }

  /// Reads the provider's metadata, unless that was done before. Throws ``FailureCode/network``.
  func discover() throws(Failure) {
    guard !isDiscovered.withLock({ $0 }) else { return }
    if let provider {
      try provider.checkBackChannel(.discovery)
      if provider.nextFault(.metadata, at: .discovery)?.kind == .foreignIssuer {
        throw Failure(.network, "the metadata are another issuer's")
      }
    } else {
      let metadata = try RelyingParty.document(issuer + "/.well-known/openid-configuration")
      guard let named = metadata["issuer"]?.string, isSame(named, issuer),
        let keys = metadata["jwks_uri"]?.string.flatMap({ HTTPURL($0) })
      else { throw Failure(.network, "the metadata are another issuer's, or name no keys") }
      place.withLock { $0 = keys }
    }
    isDiscovered.withLock { $0 = true }
  }

  private static func document(_ address: String) throws(Failure) -> JSONValue {
    guard let url = HTTPURL(address) else { throw Failure(.network, "the provider's address is not a URL") }
    let response: HTTPResponse
    do throws(HTTPFailure) { response = try HTTPClient().send(HTTPRequest(.get, url)) } catch { throw error.failure }
    guard response.status == 200,
      let document = try? unsafe response.body.withBytes({ unsafe try JSONReader.value($0) })
    else { throw Failure(.network, "\(url) has no document") }
    return document
  }

  private func publishedKeys() throws(Failure) -> JSONWebKeySet {
    if let provider { return try provider.fetchKeys() }
    try discover()
    guard let place = place.withLock({ $0 }) else { throw Failure(.network, "the provider names no keys") }
    let document = Array(try RelyingParty.document(place.description).text.utf8)
    return try JSONWebKeySet(json: document)
  }

  /// Validates an ID token: issuer, audience, `exp` without a leeway, `nbf` with five minutes, signature. The gateway looks
  /// neither at `iat` nor at a nonce. Nil when it is not valid, whatever the reason.
  func validate(_ token: String, now: Timestamp) -> Identity? {
    guard (try? discover()) != nil, let secret = try? SecureBytes(publicText: token),
      let verified = try? JWSVerifier().verify(secret, keys: self),
      let claims = try? JSONReader.value(verified.payload), let issuer = claims["iss"]?.string,
      isSame(issuer, self.issuer)
    else { return nil }
    let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
    let clientID = self.clientID
    guard audiences.contains(where: { isSame($0, clientID) }), let subject = claims["sub"]?.string,
      case .integer(let end)? = claims["exp"], now.seconds < end
    else { return nil }
    if case .integer(let start)? = claims["nbf"], now.advanced(by: 300).seconds < start { return nil }
    return Identity(subject: subject, claims: claims, expires: Timestamp(seconds: end))
  }

  /// The name of the gateway's user for a token: the claim of the options, or the prefix and `sub`; nil without that claim.
  func userName(_ identity: Identity, _ options: OpenIDOptions) -> String? {
    guard let claim = options.usernameClaim else {
      let usual = percentEncoded(String(issuer.drop { $0 != ":" }.dropFirst(3)), plusForBlank: true)
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
      let fetched = try publishedKeys()
      keys.withLock { $0 = fetched }
      return fetched
    } catch { throw TokenRefusal(.keysUnavailable, error.message) }
  }
}
