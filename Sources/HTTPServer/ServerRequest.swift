/// A request as the handler gets it: complete, and within the limits of ``ServerOptions``.
public final class ServerRequest: Sendable {
  /// The method as it was sent, e.g. `POST`. Any token is possible.
  public let method: String
  /// What is asked for.
  public let target: RequestTarget
  /// The header fields.
  public let headers: HeaderFields
  /// The body; empty when there was none.
  public let body: RequestBody
  /// The numeric address of the client.
  public let peer: String

  init(method: String, target: RequestTarget, headers: HeaderFields, body: RequestBody, peer: String) {
    (self.method, self.target, self.headers, self.body, self.peer) = (method, target, headers, body, peer)
  }
}
