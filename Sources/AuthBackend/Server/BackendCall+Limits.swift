internal import BackendStore
internal import Basics
internal import OAuthHTTP

extension BackendCall {
  /// Throws `slow_down` when somebody asks at `/authorize` too often, for a client that is there or for any that is not. Returns the id of
  /// one that is there, on or off.
  func limitAuthorization(_ client: String?) throws -> String? {
    let known = try client.flatMap { $0.utf8.count <= BackendCall.idLimit ? try store.client($0)?.id : nil }
    let place = AddressText.group(address), name = known ?? ""
    guard let wait = backend.authorizeLimiter.take("\(name.utf8.count):\(name) \(place)") else { return known }
    announce("authorize.limited", ["client": known, "address": address], alert: true)
    throw tooMany("Too many sign-ins were begun from here. Wait and try again.", wait)
  }

  /// Throws `slow_down` when an address asks too often at an endpoint that has no limit by client.
  func limitCalls(_ endpoint: Endpoint) throws(OAuthError) {
    guard let wait = backend.callLimiter.take(endpoint.name + " " + AddressText.group(address)) else { return }
    announce("call.limited", ["endpoint": endpoint.name, "address": address], alert: true)
    throw tooMany("too many requests; wait and try again", wait)
  }

  /// The error of who asks too often.
  func tooMany(_ text: String, _ wait: Int64) -> OAuthError {
    var error = OAuthError("slow_down", text, status: 429)
    error.retryAfter = wait
    return error
  }
}
