internal import Basics
internal import Glibc
internal import HTTPClient
internal import JOSE
internal import SecureMemory

/// One identity provider: its metadata and its keys, kept while the process runs.
final class Provider: Sendable {
  let metadata: ProviderMetadata
  let keys: JWKSCache

  /// Gets the metadata of an issuer. Throws a ``ProviderFault``.
  init(_ issuer: String, client: HTTPClient, cancellation: [Int32]) throws(ProviderFault) {
    guard let location = ProviderMetadata.location(of: issuer) else {
      throw ProviderFault("the issuer is not a URL without query and fragment")
    }
    var client = client
    client.bodyLimit = ProviderMetadata.limit
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try client.send(Provider.request(location), cancellation: cancellation)
    } catch { throw ProviderFault(error.message, isPassing: error.kind != .trust) }
    guard response.status == 200 else {
      let isPassing = [408, 425, 429].contains(response.status) || response.status >= 500
      throw ProviderFault("\(location) answered \(response.status), not 200", isPassing: isPassing)
    }
    let document = unsafe response.body.withBytes { unsafe Array($0) }
    metadata = try ProviderMetadata(document, issuer: issuer)
    let place = metadata.keys
    let keyClient = client
    keys = JWKSCache { () throws(Failure) in try Provider.keys(at: place, keyClient) }
  }

  private static func request(_ url: HTTPURL) -> HTTPRequest {
    HTTPRequest(.get, url, fields: [HTTPRequest.Field("Accept", "application/json")])
  }

  private static func keys(at url: HTTPURL, _ client: HTTPClient) throws(Failure) -> FetchedKeys {
    let response: HTTPResponse
    do throws(HTTPFailure) { response = try client.send(request(url)) } catch { throw error.failure }
    guard response.status == 200 else { throw Failure(.network, "\(url) answered \(response.status), not 200") }
    return FetchedKeys(
      unsafe response.body.withBytes { unsafe Array($0) }, cacheControl: response.text("Cache-Control"))
  }
}
