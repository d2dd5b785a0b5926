import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// A connection that goes over to another protocol: here one that sends back what comes, until `end`.
@Suite struct UpgradeTests {
  static let request = "GET /up HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

  private func server(
    _ change: (inout ServerOptions) -> Void = { _ in },
    _ handler: @escaping ServerResponse.UpgradeHandler = { connection in
      while let bytes = connection.read(until: .now().advanced(bySeconds: 20)), !bytes.isEmpty {
        if !connection.write(bytes, until: .now().advanced(bySeconds: 5)) || bytes.suffix(3).elementsEqual("end".utf8) {
          return
        }
      }
    }
  ) throws -> Server {
    var options = ServerOptions()
    change(&options)
    return try Server(options: options) { request in
      request.target.path == "/up"
        ? .upgrade(to: "echo", headers: ["X-Lab": "1"], handler) : ServerResponse(status: 200, text: "plain")
    }
  }

  private func connect(_ server: Server, and more: String = "") throws -> (RawConnection, RawResponse) {
    let connection = try RawConnection(port: server.port)
    connection.send(UpgradeTests.request + more)
    return (connection, try #require(connection.head()))
  }

  private func bytes(_ count: Int, of connection: RawConnection) -> String {
    String(decoding: (0..<count).compactMap { _ in connection.byte() }, as: UTF8.self)
  }

  @Test func theSocketIsHandedOver() throws {
    let server = try server()
    defer { server.stop() }
    // What the client sends along with its request is not lost.
    let (connection, head) = try connect(server, and: "early")
    #expect(head.status == 101 && head.first("Connection") == "Upgrade" && head.first("Upgrade") == "echo")
    #expect(head.first("X-Lab") == "1" && head.first("Content-Length") == nil)
    #expect(bytes(5, of: connection) == "early")
    connection.send("and then the end")
    #expect(bytes(16, of: connection) == "and then the end")
    #expect(connection.byte() == nil && connection.isAtEnd)
    #expect(try exchange(server.port, "GET", "/")?.text == "plain")
  }

  @Test func muchGoesBothWays() throws {
    let server = try server()
    defer { server.stop() }
    let (connection, _) = try connect(server)
    let block = [UInt8](repeating: 0x61, count: 100_000)
    for _ in 0..<20 {
      #expect(connection.send(block))
      #expect(bytes(block.count, of: connection).utf8.count == block.count)
    }
  }

  @Test func theLimitsOfHTTPEndWithIt() throws {
    let server = try server {
      ($0.idleTimeout, $0.requestTimeout, $0.responseTimeout) = (1, 1, 1)
    }
    defer { server.stop() }
    let (connection, _) = try connect(server)
    #expect(!connection.waitForInput(milliseconds: 2_500), "it was closed")
    connection.send("end")
    #expect(bytes(3, of: connection) == "end")
  }

  @Test func stoppingEndsThem() throws {
    let server = try server()
    let open = try (0..<8).map { _ in try connect(server).0 }
    let start = ContinuousClock.now
    server.stop()
    #expect(ContinuousClock.now - start < .seconds(5))
    for connection in open { #expect(connection.byte() == nil && connection.isAtEnd) }
  }

  @Test func oneTooManyIsRefusedAndPlacesAreGivenBack() throws {
    let server = try server { $0.upgradeLimit = 2 }
    defer { server.stop() }
    let (first, _) = try connect(server), (second, _) = try connect(server)
    #expect(try connect(server).1.status == 503)
    first.send("end")
    #expect(bytes(3, of: first) == "end" && first.byte() == nil)
    // Our side stays open: the server gives the place back when it has waited for a second.
    let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
    var status = 503
    while status == 503, MonotonicInstant.now() < deadline { status = try connect(server).1.status }
    #expect(status == 101)
    second.send("end")
    #expect(bytes(3, of: second) == "end")
  }

  @Test func aHandlerCanBeWoken() throws {
    let shared = Monitor<UpgradedConnection?>(nil)
    let server = try server({ _ in }) { connection in
      shared.withLock { $0 = connection }
      let woken = connection.read(until: .now().advanced(bySeconds: 20)) == nil
      _ = connection.write(Array((woken ? "woken" : "not").utf8), until: .now().advanced(bySeconds: 5))
    }
    defer { server.stop() }
    let (connection, _) = try connect(server)
    shared.wait { $0 }.wake()
    #expect(bytes(5, of: connection) == "woken")
  }

  @Test func whatWasSentLastArrivesAlthoughMoreWasComing() throws {
    let server = try server({ _ in }) { connection in
      _ = connection.write(Array("no more".utf8), until: .now().advanced(bySeconds: 5))
    }
    defer { server.stop() }
    for _ in 0..<20 {
      let (connection, _) = try connect(server, and: String(repeating: "x", count: 50_000))
      #expect(bytes(7, of: connection) == "no more")
    }
  }

  @Test func clientsThatVanishLeaveNothingBehind() throws {
    let server = try server { $0.upgradeLimit = 4 }
    defer { server.stop() }
    for _ in 0..<100 {
      let connection = try RawConnection(port: server.port)
      connection.send(UpgradeTests.request)
    }
    // Every place is free again, though nobody said goodbye.
    let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
    var status = 0
    while status != 101, MonotonicInstant.now() < deadline { status = try connect(server).1.status }
    #expect(status == 101)
  }

  @Test func whoKeepsItTooLongReachesNobodyElse() throws {
    let kept = Monitor<[UpgradedConnection]>([])
    let server = try server({ _ in }) { connection in kept.withLock { $0.append(connection) } }
    defer { server.stop() }
    for _ in 0..<8 {
      let connection = try connect(server).0
      #expect(connection.byte() == nil)
    }
    // Their descriptors are others' by now.
    let others = try echoServer()
    let open = try (0..<32).map { _ in try RawConnection(port: others.port) }
    for connection in kept.withLock({ $0 }) {
      #expect(!connection.write(Array("stray".utf8), until: .now().advanced(bySeconds: 1)))
      #expect(connection.read(until: .now().advanced(bySeconds: 20)) == [])
      connection.wake()
      connection.shutDown()
      connection.reset()
    }
    for connection in open {
      connection.send("GET /still HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.response()?.text.hasPrefix("GET [still]") == true)
    }
  }

  @Test func aRefusedUpgradeIsAnOrdinaryAnswer() throws {
    let server = try Server { _ in ServerResponse(status: 401, text: "no") }
    defer { server.stop() }
    let connection = try RawConnection(port: server.port)
    for _ in 0..<2 {
      connection.send(UpgradeTests.request)
      #expect(connection.response()?.text == "no")
    }
  }
}
