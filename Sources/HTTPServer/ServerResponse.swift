/// An answer, and what becomes of the connection that carries it.
public struct ServerResponse: Sendable {
  /// What follows the header.
  public enum Body: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// Bytes made while they are sent, so that none of them need be in memory: see ``BodyProducer``. Without a length
    /// the answer is chunked.
    case stream(length: UInt64?, BodyProducer)
    /// None: the connection goes over to another protocol, which the handler speaks on it (RFC 9110 7.8). The status is 101.
    case upgrade(UpgradeHandler)
  }

  /// What becomes of the connection.
  public enum Connection: Sendable, Equatable {
    /// It stays open for the next request if the client wants it so.
    case keep
    /// It is closed after the answer.
    case close
    /// It is cut without any answer.
    case cutBeforeHead
    /// It is cut after the header and this many bytes of the body; the header promised all of it.
    case cutAfter(bytes: Int)
  }

  /// Makes the bytes of a streamed body: given how many were sent and how many fit, returns some more. Returning none
  /// ends the body; returning nil cuts the connection, because the promise cannot be kept.
  public typealias BodyProducer = @Sendable (_ sent: UInt64, _ limit: Int) -> [UInt8]?

  /// Speaks another protocol on a connection, on a thread of its own; when it returns, the connection is closed.
  public typealias UpgradeHandler = @Sendable (UpgradedConnection) -> Void

  /// The status code, 200...999, or 101 with ``Body/upgrade(_:)``.
  public var status: Int
  /// The header fields, sent in this order; `Date`, `Content-Length` and `Connection` are added.
  public var headers: HeaderFields
  /// The body. It is not sent for `HEAD`, but its length is.
  public var body: Body
  /// What becomes of the connection.
  public var connection: Connection
  /// How many seconds to wait before answering. No thread waits meanwhile.
  public var delay: Double

  /// An answer.
  public init(
    status: Int, headers: HeaderFields = [:], body: Body = .bytes([]), connection: Connection = .keep, delay: Double = 0
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.connection = connection
    self.delay = delay
  }

  /// An answer whose body is a text, in UTF-8.
  public init(status: Int, headers: HeaderFields = [:], text: String) {
    self.init(status: status, headers: headers, body: .bytes(Array(text.utf8)))
  }

  /// An answer for whoever reads it, `text/plain` in UTF-8.
  public static func plain(_ text: String, status: Int, headers: HeaderFields = [:]) -> ServerResponse {
    var response = ServerResponse(status: status, headers: headers, text: text)
    response.headers.add("Content-Type", "text/plain; charset=utf-8")
    return response
  }

  /// An answer that goes over to another protocol, named as `Upgrade` names it, e.g. `websocket`. What `headers` says of
  /// `Connection` is added to the `Upgrade` there.
  public static func upgrade(
    to name: String, headers: HeaderFields = [:], _ handler: @escaping UpgradeHandler
  ) -> ServerResponse {
    var headers = headers
    headers.add("Upgrade", name)
    return ServerResponse(status: 101, headers: headers, body: .upgrade(handler))
  }

  /// No answer: the connection is cut.
  public static let cut = ServerResponse(status: 500, connection: .cutBeforeHead)
}
