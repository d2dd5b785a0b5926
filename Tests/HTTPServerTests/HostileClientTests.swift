import Basics
import Glibc
import HTTPServer
import HTTPTestSupport
import Synchronization
import Testing

@Suite struct HostileClientTests {
  /// After whatever a client sent, the next one must be served.
  private func expectAlive(_ server: Server, _ what: Comment? = nil) throws {
    #expect(try exchange(server.port, "GET", "/alive")?.status == 200, what)
  }

  /// The library would take the items apart, and has no room for so many.
  @Test func aQueryOfManyItemsIsAnswered() throws {
    let seen = Monitor(0)
    let server = try Server(handler: { request in
      seen.withLock { $0 = request.target.query.count }
      return .plain("ok\n", status: 200)
    })
    let query = (0..<2_000).map { "a\($0)=1" }.joined(separator: "&")
    let connection = try RawConnection(port: server.port)
    for _ in 0..<3 {
      connection.send("GET /healthz?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.response()?.status == 200)
      #expect(seen.withLock { $0 } == 2_000)
    }
  }

  /// The library gives such a request up without an answer, and cuts the connection.
  @Test(arguments: [true, false]) func cookiesThatDoNotFitLeaveNothingBehind(staysForIt: Bool) throws {
    let refused = Monitor(0)
    let server = try Server(
      handler: { _ in .plain("ok\n", status: 200) }, onRefusal: { _ in refused.withLock { $0 += 1 } })
    let cookies = (0..<600).map { "a\($0)=1" }.joined(separator: "; ")
    var connections = try (0..<20).map { _ in try RawConnection(port: server.port) }
    for connection in connections { connection.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: \(cookies)\r\n\r\n") }
    if staysForIt { for connection in connections { #expect(connection.rest().isEmpty && connection.isAtEnd) } }
    connections = []
    try expectAlive(server)
    _ = refused.wait(until: .now().advanced(bySeconds: 10)) { $0 >= 20 ? true : nil }
    #expect(refused.withLock { $0 } == 20)
    // Stopping waits for requests that are on their way: there are none.
    let start = MonotonicInstant.now()
    server.stop(grace: 30)
    #expect(MonotonicInstant.now().milliseconds(since: start) < 15_000)
  }

  /// RFC 9112 5.1 and 3.2: what hides a length from us, or names two hosts, another reader may understand otherwise.
  @Test(arguments: [
    "Content-Length : 5", "Content-Length\t: 5", "Transfer-Encoding : chunked", "X(y): 1", "X y: 1", "Host: b",
  ])
  func fieldsThatOthersReadOtherwiseAreRefused(field: String) throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send("POST /x HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\nabc=d")
    #expect(connection.response()?.status == 400)
    #expect(connection.rest().isEmpty && connection.isAtEnd)
    try expectAlive(server)
  }

  @Test func tooLongBodiesAre413() throws {
    var options = ServerOptions()
    options.bodyLimit = 1_000
    let refused = Monitor<[String?]>([])
    let server = try Server(
      options: options, handler: { _ in .plain("ok\n", status: 200) },
      onRefusal: { target in refused.withLock { $0.append(target) } })
    let body = String(repeating: "a", count: 1_001)
    #expect(try exchange(server.port, "POST", "/fits", body: String(body.dropLast()))?.status == 200)
    #expect(try exchange(server.port, "POST", "/over", body: body)?.status == 413)
    // Announced and far too long: refused before it is sent.
    let huge = try RawConnection(port: server.port)
    huge.send("POST /huge HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n")
    #expect(huge.response()?.status == 413)
    let expecting = try RawConnection(port: server.port)
    expecting.send("POST /expecting HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
    #expect(expecting.response()?.status == 413)
    // Chunked, so not announced: read on for a little, then cut.
    let chunked = try RawConnection(port: server.port)
    chunked.send(
      "POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + body
        + String(repeating: "b", count: 999) + "\r\n0\r\n\r\n")
    #expect(chunked.response()?.status == 413)
    let endless = try RawConnection(port: server.port)
    endless.send("POST /endless HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "2710\r\n" + String(repeating: "c", count: 10_000) + "\r\n"
    var chunks = 0
    while endless.send(chunk), chunks < 10_000 { chunks += 1 }
    #expect(chunks < 10_000)
    try expectAlive(server)
    // Each is told, the one that was cut too, and none twice.
    server.stop()
    let expected = ["/over", "/huge", "/expecting", "/chunked", "/endless"]
    #expect(refused.withLock { $0 } == expected)
  }

  @Test(arguments: ["zz\r\n", "ffffffffffffffffff\r\n", "3\r\nabcd\r\n"])
  func malformedChunksAreTold(chunk: String) throws {
    let told = Monitor<[String?]>([])
    let server = try Server(
      handler: { _ in .plain("ok\n", status: 200) }, onRefusal: { target in told.withLock { $0.append(target) } })
    let connection = try RawConnection(port: server.port)
    connection.send("POST /x?y HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)")
    _ = connection.rest()
    #expect(connection.isAtEnd)
    server.stop()
    #expect(told.withLock { $0 } == ["/x?y"])
  }

  @Test(
    arguments: ([
      "\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5x\r\n\r\nabcde",
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n: no name\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
      "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
      "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", " / HTTP/1.1\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}",
    ] as [String]).map(Bytes.init))
  func malformedRequestsEndTheConnectionOnly(bytes: Bytes) throws {
    // What is not a request yet may be waited for, but not for long.
    let server = try echoServer { $0.requestTimeout = 1 }
    let connection = try RawConnection(port: server.port)
    connection.send(bytes.text)
    connection.finishSending()
    _ = connection.rest()
    #expect(connection.isAtEnd, "\(bytes.testDescription)")
    try expectAlive(server, "\(bytes.testDescription)")
    // Every request that began has ended: stopping waits for none.
    let start = ContinuousClock.now
    server.stop(grace: 40)
    #expect(ContinuousClock.now - start < .seconds(30), "\(bytes.testDescription)")
  }

  @Test(arguments: [
    "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3\r\ncontent-length: 3",
    "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity", "Transfer-Encoding: xchunked",
  ])
  func aBodyWhoseEndIsInDoubtIsRefused(fields: String) throws {
    let server = try echoServer()
    let connection = try RawConnection(port: server.port)
    connection.send(
      "POST /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(connection.response()?.status == 400)
    #expect(connection.rest().isEmpty)
    try expectAlive(server)
  }

  @Test func aClientThatDoesNotReadHoldsUpNobody() throws {
    let block = [UInt8](repeating: 0x61, count: 65_536)
    let server = try Server { request in
      guard request.target.path == "/big" else { return ServerResponse(status: 200) }
      return ServerResponse(status: 200, body: .stream(length: 1 << 40) { _, limit in Array(block.prefix(limit)) })
    }
    let stalled = try (0..<20).map { _ in try RawConnection(port: server.port, receiveBuffer: 4_096) }
    for connection in stalled { connection.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n") }
    for _ in 0..<20 { try expectAlive(server) }
    // What cannot be finished is cut when the time for it is over.
    let start = ContinuousClock.now
    server.stop(grace: 0.2)
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func aTricklingReaderIsCutInTime() throws {
    var options = ServerOptions()
    options.responseTimeout = 1
    let block = [UInt8](repeating: 0x61, count: 65_536)
    let server = try Server(options: options) { _ in
      ServerResponse(status: 200, body: .stream(length: 1 << 40) { _, limit in Array(block.prefix(limit)) })
    }
    let connection = try RawConnection(port: server.port, receiveBuffer: 4_096)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let start = ContinuousClock.now
    // A little every twentieth of a second: never silent, never done.
    while connection.skip(atMost: 1_024), ContinuousClock.now - start < .seconds(30) { usleep(50_000) }
    let took = ContinuousClock.now - start
    #expect(took > .milliseconds(900) && took < .seconds(30))
  }

  @Test func tooLongHeadersAreRefused() throws {
    let server = try echoServer()
    // Just too long, and far too long.
    for size in [ServerOptions().connectionMemory, 200_000] {
      for request in [
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: size) + "\r\n\r\n",
        "GET /" + String(repeating: "x", count: size) + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: size / 5) + "\r\n",
      ] {
        let connection = try RawConnection(port: server.port)
        connection.send(request)
        // The answer may be lost when the server closes while there is much to read. What is not far too long was read by then.
        let response = connection.head()
        if size < 200_000 || response != nil {
          #expect([414, 431].contains(response?.status), "\(request.prefix(30))")
        }
        _ = connection.rest()
        #expect(connection.isAtEnd, "\(request.prefix(30))")
        try expectAlive(server)
      }
    }
  }

  @Test func aTricklingRequestIsCutInTime() throws {
    let server = try echoServer {
      $0.requestTimeout = 1
      $0.idleTimeout = 5
    }
    let clock = ContinuousClock()
    for (start, drop) in [
      ("GET / HTTP/1.1\r\nHost: a\r\n", "X: y\r\n"),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n", "a"),
    ] {
      let connection = try RawConnection(port: server.port)
      connection.send(start)
      let took = clock.measure {
        // Never silent for as long as the idle timeout is.
        let end = clock.now + .seconds(30)
        while clock.now < end, !connection.waitForInput(milliseconds: 100), connection.send(drop) {}
      }
      #expect(took > .milliseconds(900) && took < .seconds(30))
    }
    try expectAlive(server)
  }

  @Test func oneAddressCannotTakeEveryConnection() throws {
    let server = try echoServer { $0.connectionsPerAddress = 5 }
    let held = try (0..<5).map { _ in try RawConnection(port: server.port) }
    for connection in held {
      connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.response()?.status == 200)
    }
    let sixth = try RawConnection(port: server.port)
    sixth.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(sixth.response() == nil)
  }

  @Test func aFullQueueIs503() throws {
    let gate = Gate()
    let server = try Server(
      options: {
        var options = ServerOptions()
        options.workers = 1
        options.queueLimit = 2
        return options
      }()
    ) { _ in
      gate.pass()
      return ServerResponse(status: 200)
    }
    let waiting = try (0..<8).map { _ in try RawConnection(port: server.port) }
    for connection in waiting { connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
    // One is being handled, unless the worker was late, and two wait; the others are told at once.
    var refused = 0
    var open = waiting
    let end = ContinuousClock.now + .seconds(20)
    while refused < 5, ContinuousClock.now < end {
      open = open.filter { connection in
        guard connection.waitForInput(milliseconds: 10) else { return true }
        if connection.response()?.status == 503 { refused += 1 }
        return false
      }
    }
    #expect(refused == 5 || refused == 6)
    gate.open()
    server.stop()
  }

  @Test func clientsThatLeaveDoNotMatter() throws {
    let server = try echoServer()
    for round in 0..<200 {
      let connection = try RawConnection(port: server.port)
      if round % 3 > 0 { connection.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n") }
      if round % 3 > 1 { connection.send("0123456789") }
    }
    try expectAlive(server)
  }
}

/// Holds threads up until it is opened.
private final class Gate: Sendable {
  private let isOpen = Mutex(false)

  func open() { isOpen.withLock { $0 = true } }

  func pass() { while !isOpen.withLock({ $0 }) { usleep(1_000) } }
}

/// What a client sends, shown in a test report as one line.
struct Bytes: CustomTestStringConvertible, Sendable {
  let text: String
  var testDescription: String { text.debugDescription }
}
