import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// Makes requests as the server makes them: each is sent to one, which hands it over.
struct RequestSource {
  private let server: Server
  private let received: Monitor<[ServerRequest]>

  init() throws {
    let received = Monitor<[ServerRequest]>([])
    self.received = received
    server = try Server { request in
      received.withLock { $0.append(request) }
      return ServerResponse(status: 204)
    }
  }

  /// The request that a server makes of these header fields and this body.
  func request(_ headers: [String] = [], body: [UInt8] = []) throws -> ServerRequest {
    let connection = try RawConnection(port: server.port)
    let head = ["POST / HTTP/1.1", "Host: a", "Content-Length: \(body.count)"] + headers
    connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
    connection.send(body)
    try #require(connection.response()?.status == 204)
    return try #require(received.withLock { $0.popLast() })
  }
}
