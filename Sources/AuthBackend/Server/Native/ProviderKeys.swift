internal import Basics
internal import HTTPClient
internal import JOSE
internal import SecureMemory

/// A provider and its keys, fetched when they are needed; see ``JOSE/JWKSCache`` for how seldom that is. They are asked for at a public
/// address and over https, unless the host is listed, so that a name that came to mean another place does not make the server ask its own
/// network.
final class ProviderKeys: Sendable {
  let provider: IdentityProvider
  let cache: JWKSCache

  init(
    _ provider: IdentityProvider, privateHosts: Set<String>, clock: @escaping @Sendable () -> Timestamp
  ) throws(Failure) {
    guard let url = HTTPURL(provider.keysURL) else {
      throw Failure(
        .configuration, "the keys of the provider '\(OutsideText.clean(provider.name, limit: 40))' are at no URL")
    }
    let isListed = privateHosts.contains(url.origin.host)
    self.provider = provider
    cache = JWKSCache(clock: clock) { () throws(Failure) in
      guard url.origin.scheme == "https" || isListed else {
        throw Failure(
          .configuration, "\(url.origin) is not asked: it is not https", hint: "list its host if it is your own")
      }
      var client = HTTPClient()
      client.agent = Backend.agent
      (client.connectTimeout, client.timeout) = (5_000, 5_000)
      client.addresses = isListed ? .any : .publicOnly
      let request = HTTPRequest(.get, url, fields: [.init("Accept", "application/json")]), response: HTTPResponse
      do throws(HTTPFailure) { response = try client.send(request) } catch { throw error.failure }
      guard response.status == 200 else {
        throw Failure(.network, "\(url.origin) answered the question for its keys with \(response.status)")
      }
      let bytes = unsafe response.body.withBytes { unsafe Array($0) }
      return FetchedKeys(bytes, cacheControl: response.text("Cache-Control"))
    }
  }
}
