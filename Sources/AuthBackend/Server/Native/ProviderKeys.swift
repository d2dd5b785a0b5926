internal import Basics
internal import HTTPClient
internal import JOSE
internal import SecureMemory

/// A provider and its keys, fetched when they are needed; see ``JOSE/JWKSCache`` for how seldom that is.
final class ProviderKeys: Sendable {
  let provider: IdentityProvider
  let cache: JWKSCache

  init(
    _ provider: IdentityProvider, outgoing: OutgoingRequests, clock: @escaping @Sendable () -> Timestamp
  ) throws(Failure) {
    guard let url = HTTPURL(provider.keysURL) else {
      throw Failure(
        .configuration, "the keys of the provider '\(OutsideText.clean(provider.name, limit: 40))' are at no URL")
    }
    self.provider = provider
    cache = JWKSCache(clock: clock) { () throws(Failure) in
      let response = try outgoing.send(HTTPRequest(.get, url, fields: [.init("Accept", "application/json")]))
      guard response.status == 200 else {
        throw Failure(.network, "\(url.origin) answered the question for its keys with \(response.status)")
      }
      let bytes = unsafe response.body.withBytes { unsafe Array($0) }
      return FetchedKeys(bytes, cacheControl: response.text("Cache-Control"))
    }
  }
}
