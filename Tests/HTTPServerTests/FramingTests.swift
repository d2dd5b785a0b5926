import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// What a proxy may take for one request is never answered as two (RFC 9112 11.2): after a head or a body that others may read otherwise
/// than we do, the connection is closed.
@Suite struct FramingTests {
  private static let next = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  private func server(_ seen: Monitor<[String]>) throws -> Server {
    try Server(handler: { request in
      seen.withLock { $0.append(request.target.path) }
      return .plain("ok\n", status: 200)
    })
  }

  /// Folded lines, what the library ends a head at, values that a zero or a CR cuts, lines that end in a bare LF.
  @Test(
    arguments: [
      "Content-Length:\r\n 35", "Content-Length:\r\n\t35", "Content-Length: \r\n 35", "Content-Length: 1\r\n 2",
      "Content-Length:\r\n 35\r\nX: y", "Transfer-Encoding:\r\n chunked", "Transfer-Encoding:\r\n chunked\r\nX: y",
      "X: y\r\n Content-Length: 35", "X: y\r\n z", "X:\r\n z\r\n z\r\nY: z", " X: y", ": x", ":",
      ": x\r\nContent-Length: 35",
      "\0X: y", "\0", "\0\0", "X\0: y", "X: y\0", "X: \0y", "Content-Length: 0\00", "Content-Length: 0\035", "X: a\rb",
      "X: a\rContent-Length: 35", "X: a\r", "X: a\u{1}b", "X: a\u{7F}", "Transfer-Encoding: chunked\0junk",
      "X: y\nZ: z",
      "X: y\nContent-Length: 35",
    ].map(Bytes.init))
  func aHeadThatOthersReadOtherwiseIsTheLast(field: Bytes) throws {
    for method in ["POST", "GET"] {
      for order in ["Host: a\r\n\(field.text)", "\(field.text)\r\nHost: a"] {
        let seen = Monitor<[String]>([]), server = try server(seen)
        let connection = try RawConnection(port: server.port)
        connection.send("\(method) /first HTTP/1.1\r\n\(order)\r\n\r\n\(FramingTests.next)")
        let status = connection.response()?.status
        #expect(status == 400 || status == nil, "\(method) \(order.debugDescription)")
        // The library answers some by itself, with the head of its answer twice.
        let rest = String(decoding: connection.rest(), as: UTF8.self)
        #expect(connection.isAtEnd && !rest.contains("200 OK"), "\(method) \(order.debugDescription)")
        #expect(seen.withLock { $0 }.isEmpty, "\(method) \(order.debugDescription)")
      }
    }
  }

  @Test(
    arguments: ["GET  /first HTTP/1.1", "GET /first\0x HTTP/1.1", "GET\0 /first HTTP/1.1", "GET /first HTTP/1.1 "].map(
      Bytes.init))
  func aRequestLineThatOthersReadOtherwiseIsTheLast(line: Bytes) throws {
    let seen = Monitor<[String]>([]), server = try server(seen)
    let connection = try RawConnection(port: server.port)
    connection.send("\(line.text)\r\nHost: a\r\n\r\n\(FramingTests.next)")
    _ = connection.rest()
    #expect(connection.isAtEnd && seen.withLock { $0 }.isEmpty)
  }

  /// The library takes chunks and fields after them that others refuse or read otherwise.
  @Test(
    arguments: [
      "3\r\nabc\r\n0\r\n\r\n", "3;x=\"\r\nabc\r\n0\r\n\r\n", "3\nabc\n0\n\n", "0\r\n: x\r\n", "0\r\n\0\r\n",
      "0\r\nX: y\r\n\r\n",
      "0\r\nX: y\r\n z\r\n\r\n",
    ].map(Bytes.init))
  func aChunkedRequestIsTheLast(body: Bytes) throws {
    let seen = Monitor<[String]>([]), server = try server(seen)
    let connection = try RawConnection(port: server.port)
    connection.send(
      "POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body.text)\(FramingTests.next)")
    _ = connection.rest()
    #expect(connection.isAtEnd && !seen.withLock { $0 }.contains("/smuggled"))
  }

  @Test(arguments: ["POST", "PUT", "PATCH"]) func aBodyWithoutALengthIsTheLast(method: String) throws {
    let seen = Monitor<[String]>([]), server = try server(seen)
    let connection = try RawConnection(port: server.port)
    connection.send("\(method) /first HTTP/1.1\r\nHost: a\r\n\r\n\(FramingTests.next)")
    let answer = connection.response()
    #expect(answer?.status == 200 && answer?.first("Connection") == "close")
    #expect(connection.rest().isEmpty && connection.isAtEnd && seen.withLock { $0 } == ["/first"])
  }

  /// However it is padded, cut into pieces and followed by others, a good head leaves the connection open.
  @Test(arguments: [1, 7, 100_000])
  func goodHeadsKeepTheConnection(piece: Int) throws {
    let seen = Monitor<[String]>([]), server = try server(seen)
    let long = String(repeating: "x", count: piece == 1 ? 600 : 2_500)
    let heads = [
      "GET /g?a=b&c=%20 HTTP/1.1\r\nHost: a\r\n",
      "GET /g HTTP/1.1\r\nHost:a\r\nX:y\r\nX:   y  \r\nX:\t y\t\r\nX:\r\nX:  \r\n",
      "HEAD /g HTTP/1.1\r\nhost: a\r\nAccept: */*\r\nAccept: a/b\r\nCookie: a=b; c=d\r\nUser-Agent: caf\u{E9}\r\n",
      "POST /g HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n", "DELETE /g HTTP/1.1\r\nHost: a\r\n",
      "GET /\(long)?\(long) HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\(long.prefix(200)): \(long)\r\nCookie: a=\(long)\r\n",
      "GET /g HTTP/1.1\r\n" + String(repeating: "X-A: y\r\n", count: long.utf8.count / 100) + "Host: a\r\n",
      "\r\nGET /g HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n",
    ]
    let connection = try RawConnection(port: server.port)
    for _ in 0..<3 {
      for head in heads {
        var rest = Array("\(head)\r\n".utf8)[...]
        while !rest.isEmpty {
          connection.send(Array(rest.prefix(piece)))
          rest = rest.dropFirst(piece)
        }
        let answer = connection.response(hasBody: !head.hasPrefix("HEAD"))
        #expect(answer?.status == 200 && answer?.first("Connection") != "close", "\(head.prefix(60).debugDescription)")
      }
    }
    // Many at once, which the library moves in its memory as it goes.
    for _ in 0..<20 {
      connection.send(String(repeating: "\(heads[0])\r\n\(heads[1])\r\n", count: 5))
      for _ in 0..<10 { #expect(connection.response()?.status == 200) }
    }
  }
}
