internal import Basics
internal import SecureMemory

/// The answer to a request that asked for another protocol.
public struct HTTPUpgrade {
  /// The answer. When its status is not 101 the server speaks HTTP on, and the body is as much of it as came.
  public let response: HTTPResponse
  /// The connection, on which the other protocol is spoken from now on; nil when the status is not 101.
  public let connection: HTTPConnection?
}

/// One such request on a connection of its own: HTTP/1.1 by hand, as little of it as this takes (RFC 9112).
struct UpgradeExchange {
  private let connection: HTTPConnection
  private let request: HTTPRequest
  private let client: HTTPClient
  private let deadline: MonotonicInstant

  init(_ connection: HTTPConnection, _ request: HTTPRequest, client: HTTPClient) {
    self.connection = connection
    self.request = request
    self.client = client
    deadline = .now().advanced(byMilliseconds: Int64(client.limit(of: request)))
  }

  func run(_ name: String, cancellation: [Int32]) throws(HTTPFailure) -> HTTPUpgrade {
    guard request.method == .get, request.body == nil, FieldSyntax.isName(name) else {
      throw HTTPFailure(.request, "only a GET without a body can ask for another protocol")
    }
    let head = try head(name)
    let isSent = unsafe head.withBytes { unsafe connection.write($0, until: deadline) }
    // A server that refuses may hang up before it has read all; its answer is what counts.
    if !isSent, connection.failure == nil { throw late }
    let inbox = try Inbox.make(client: client, taker: nil)
    var reader = HeadReader()
    while reader.status == nil {
      let bytes = try more(cancellation)
      guard !bytes.isEmpty else {
        throw connection.failure
          ?? HTTPFailure(.network, "cannot reach \(origin): it hung up without an answer", cause: .closed)
      }
      try reader.feed(bytes, inbox, origin)
    }
    let status = reader.status ?? 0
    if status == 101 {
      connection.early = reader.rest
      return HTTPUpgrade(
        response: try inbox.response(status: status, origin: origin, isUpgrade: true), connection: connection)
    }
    readBody(reader, inbox, cancellation)
    return HTTPUpgrade(response: try inbox.response(status: status, origin: origin), connection: nil)
  }

  private var origin: HTTPOrigin { request.url.origin }
  private var late: HTTPFailure { HTTPFailure(.timeout, "cannot reach \(origin): it took too long to answer") }

  private func more(_ cancellation: [Int32]) throws(HTTPFailure) -> [UInt8] {
    if let bytes = connection.read(until: deadline, wake: cancellation) { return bytes }
    throw deadline.millisecondsLeft == 0 ? late : HTTPConnection.cancelled(origin)
  }

  /// The request line and all fields, in guarded memory.
  private func head(_ name: String) throws(HTTPFailure) -> SecureBuffer {
    let port = origin.port == HTTPOrigin.defaultPort(origin.scheme) ? "" : ":\(origin.port)"
    do {
      let head = try SecureBuffer(limit: 128 << 10)
      var fits = try head.append(
        publicText:
          "GET \(request.url.target) HTTP/1.1\r\nHost: \(origin.host)\(port)\r\nUser-Agent: \(client.agent)\r\n"
          + "Connection: Upgrade\r\nUpgrade: \(name)\r\n")
      for field in request.fields {
        let line = try field.line()
        fits = try unsafe line.withBytes { bytes throws(Failure) in try unsafe head.append(bytes) } && fits
        fits = try head.append(publicText: "\r\n") && fits
      }
      guard try head.append(publicText: "\r\n"), fits else {
        throw HTTPFailure(.request, "the request is too long to be sent")
      }
      return head
    } catch {
      throw error as? HTTPFailure ?? HTTPFailure(.request, (error as? Failure)?.message ?? "the request cannot be made")
    }
  }

  // The body of a refusal says why, and no more hangs on it: what came of it within the limits is kept, whatever ended it.
  private func readBody(_ reader: HeadReader, _ inbox: Inbox, _ cancellation: [Int32]) {
    var body = BodyReader(inbox)
    var bytes = reader.rest
    while body.take(bytes), let next = connection.read(until: deadline, wake: cancellation), !next.isEmpty {
      bytes = next
    }
  }
}
