public import Basics
public import HTTPClient

/// Requests that the server itself sends: to public addresses alone, over https, unless a host was listed. So an address that somebody
/// else chose, or a name that came to mean another place, does not make the server ask its own network.
public struct OutgoingRequests: Sendable {
  /// Hosts that may be private, and may be asked without TLS, as they stand in URLs.
  public var privateHosts: Set<String>
  /// The most milliseconds for a whole exchange.
  public var timeout: Int

  /// What the server calls itself where it asks others.
  public static let agent = "mfs-authd"

  /// The rule of a server.
  public init(privateHosts: Set<String>, timeout: Int = 5_000) {
    self.privateHosts = privateHosts
    self.timeout = timeout
  }

  /// Sends a request; no redirect is followed. Throws ``FailureCode/configuration`` for an address that is not asked, and
  /// ``FailureCode/network`` or ``FailureCode/serverRefused`` when there is no answer.
  public func send(_ request: HTTPRequest) throws(Failure) -> HTTPResponse {
    let isListed = privateHosts.contains(request.url.origin.host)
    guard request.url.origin.scheme == "https" || isListed else {
      throw Failure(
        .configuration, "\(request.url.origin) is not asked: it is not https", hint: "list its host if it is your own")
    }
    var client = HTTPClient()
    client.agent = OutgoingRequests.agent
    client.connectTimeout = timeout
    client.timeout = timeout
    client.addresses = isListed ? .any : .publicOnly
    do throws(HTTPFailure) { return try client.send(request) } catch { throw error.failure }
  }
}
