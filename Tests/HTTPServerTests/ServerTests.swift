import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// A server whose handler says what it was asked.
func echoServer(_ change: (inout ServerOptions) -> Void = { _ in }) throws -> Server {
  var options = ServerOptions()
  change(&options)
  return try Server(options: options) { request in
    let body = unsafe request.body.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    let query = request.target.query.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    let segments = request.target.segments.joined(separator: "|")
    let cookies = request.headers.all("x-many").joined(separator: "+")
    return ServerResponse(
      status: 200, headers: ["Content-Type": "text/plain", "Set-Cookie": "a=1", "Set-Cookie": "b=2"],
      text: "\(request.method) [\(segments)] {\(query)} <\(cookies)> \(request.peer) \(body)")
  }
}

@Suite struct ServerTests {
  @Test func aRequestReachesTheHandlerWhole() throws {
    let server = try echoServer()
    let response = try #require(
      try exchange(
        server.port, "POST", "/db/a%2Fb/%C3%A4?x=1&y=a+b%26", headers: ["X-Many: 1", "x-many:  2 "], body: "hello"))
    #expect(response.status == 200)
    #expect(response.text == "POST [db|a/b|ä] {x=1,y=a b&} <1+2> 127.0.0.1 hello")
    #expect(response.all("Set-Cookie") == ["a=1", "b=2"])
    #expect(response.first("Content-Length") == "\(response.body.count)")
  }

  @Test(arguments: [
    ("/", "[]"), ("/db", "[db]"), ("/db/", "[db|]"), ("//", "[|]"), ("/a%00b", "[a\0b]"), ("http://other/p?q", "[p]"),
    ("/a;b=%41", "[a;b=A]"), ("/a#frag", "[a]"),
  ])
  func targetsAreTakenApart(path: String, expected: String) throws {
    let server = try echoServer()
    let response = try #require(try exchange(server.port, "GET", path))
    #expect(response.text.hasPrefix("GET \(expected) "), "\(response.text)")
  }

  @Test(arguments: ["/%", "/%4", "/%zz", "/%ff", "/%c0%80", "/ok?a=%", "/%ED%A0%80"])
  func badEscapesAreRefused(path: String) throws {
    let server = try echoServer()
    let response = try #require(try exchange(server.port, "GET", path))
    #expect(response.status == 400)
  }

  @Test func headHasTheLengthAndNoBody() throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send("HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let response = try #require(connection.response(hasBody: false))
    #expect(response.status == 200)
    #expect(response.first("Content-Length") == "\("HEAD [x] {} <> 127.0.0.1 ".utf8.count)")
    #expect(connection.rest().isEmpty)
  }

  @Test func anyMethodIsTheHandlersBusiness() throws {
    let server = try echoServer()
    for method in ["BREW", "PROPFIND", "OPTIONS", "X"] {
      let response = try #require(try exchange(server.port, method, "/x"))
      #expect(response.text.hasPrefix("\(method) [x]"))
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for number in 0..<50 {
      #expect(connection.response()?.text.hasPrefix("GET [\(number)]") == true)
    }
  }

  @Test func chunkedBodiesArePutTogether() throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    #expect(connection.response()?.text.hasSuffix(" abcde") == true)
  }

  @Test func oldClientsAreServed() throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send("GET /old HTTP/1.0\r\n\r\n")
    #expect(connection.response()?.text.hasPrefix("GET [old]") == true)
    #expect(connection.rest().isEmpty && connection.isAtEnd)
  }

  @Test func expectContinueIsGranted() throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(connection.head()?.status == 100)
    connection.send("ok")
    #expect(connection.response()?.text.hasSuffix(" ok") == true)
  }

  @Test func aSlowHandlerHoldsUpNobody() throws {
    let server = try Server { request in
      ServerResponse(status: 200, headers: [:], body: .bytes([0x2E]), delay: request.target.path == "/slow" ? 60 : 0)
    }
    let slow = try (0..<40).map { _ in try RawConnection(port: server.port) }
    for connection in slow { connection.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
    #expect(try exchange(server.port, "GET", "/fast")?.text == ".")
    // Stopping cuts what is held back instead of waiting for it.
    server.stop()
    for connection in slow { #expect(connection.rest().isEmpty) }
  }

  @Test func aDelayedAnswerComesWhenDue() throws {
    let server = try Server { _ in ServerResponse(status: 200, body: .bytes([0x2E]), delay: 0.3) }
    let start = ContinuousClock.now
    #expect(try exchange(server.port, "GET", "/")?.text == ".")
    let took = ContinuousClock.now - start
    #expect(took >= .milliseconds(290) && took < .seconds(30))
  }

  @Test func stoppingTwiceAndListeningAgainIsFine() throws {
    let first = try echoServer()
    let port = first.port
    #expect(first.origin == "http://127.0.0.1:\(port)")
    #expect(try exchange(port, "GET", "/")?.status == 200)
    first.stop()
    first.stop()
    #expect(throws: Failure(.network, "")) { try RawConnection(port: port) }
    let second = try echoServer { $0.port = port }
    #expect(try exchange(second.port, "GET", "/")?.status == 200)
    #expect(throws: Failure(.exists, "")) { try echoServer { $0.port = port } }
  }

  @Test func whileStoppingNobodyNewIsHeard() throws {
    let isIn = Monitor(false), mayGo = Monitor(false)
    let server = try Server { _ in
      isIn.withLock { $0 = true }
      _ = mayGo.wait { $0 ? true : nil }
      return ServerResponse(status: 200, text: "served")
    }
    let port = server.port
    let first = try RawConnection(port: port)
    first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = isIn.wait { $0 ? true : nil }
    let hasStopped = Monitor(false)
    try Thread {
      server.stop()
      hasStopped.withLock { $0 = true }
    }.detach()
    // The stop has begun when a new connection is closed without a word; the first request is served all the same.
    var isClosed = false
    let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
    while !isClosed, .now() < deadline {
      let late = try RawConnection(port: port)
      isClosed = late.waitForInput(milliseconds: 50) && late.byte() == nil
    }
    #expect(isClosed && !hasStopped.withLock { $0 })
    mayGo.withLock { $0 = true }
    #expect(first.response()?.text == "served")
    #expect(hasStopped.wait(until: .now().advanced(bySeconds: 10)) { $0 ? true : nil } == true)
    #expect(throws: Failure(.network, "")) { try RawConnection(port: port) }
  }

  @Test(arguments: ["handler", "stream", "upgrade", "release"])
  func aServerCanBeStoppedOnItsOwnThreads(way: String) throws {
    let holder = Monitor<Server?>(nil)
    let port: UInt16
    do {
      let server = try Server { _ in
        let server = holder.withLock { holder -> Server? in
          defer { holder = nil }
          return holder
        }
        switch way {
        case "handler":
          server?.stop()
          return ServerResponse(status: 200, text: "bye")
        case "stream":
          return ServerResponse(
            status: 200,
            body: .stream(length: nil) { sent, _ in
              server?.stop()
              return sent == 0 ? Array("bye".utf8) : []
            })
        case "upgrade": return .upgrade(to: "echo") { _ in server?.stop() }
        // The last reference goes with the answer, on a thread of the library's.
        default:
          return ServerResponse(
            status: 200,
            body: .stream(length: nil) { sent, _ in
              withExtendedLifetime(server) { sent == 0 ? Array("bye".utf8) : [] }
            })
        }
      }
      port = server.port
      holder.withLock { $0 = server }
    }
    let connection = try RawConnection(port: port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
    #expect(connection.head()?.status == (way == "upgrade" ? 101 : 200))
    _ = connection.rest()
    #expect(connection.isAtEnd)
    let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
    while (try? RawConnection(port: port)) != nil, .now() < deadline {}
    #expect(throws: Failure(.network, "")) { try RawConnection(port: port) }
  }

  @Test func addressesAreChecked() throws {
    #expect(throws: Failure(.usage, "")) { try echoServer { $0.address = "localhost" } }
    #expect(throws: Failure(.usage, "")) { try echoServer { $0.address = "192.0.2.1" } }
  }
}
