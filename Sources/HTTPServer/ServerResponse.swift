/// An answer, and what becomes of the connection that carries it.
public struct ServerResponse: Sendable {
  /// What follows the header.
  public enum Body: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// Bytes made while they are sent, so that none of them need be in memory: see ``BodyProducer``. Without a length
    /// the answer is chunked.
    case stream(length: UInt64?, BodyProducer)
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

  /// The status code, 200...999.
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

  /// No answer: the connection is cut.
  public static let cut = ServerResponse(status: 500, connection: .cutBeforeHead)
}
