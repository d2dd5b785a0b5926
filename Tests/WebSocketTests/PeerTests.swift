import Basics
import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing
import WebSocket

/// An independent implementation on the other side: the package `websockets`, from Python.
@Suite("Python's websockets understands us") struct PeerTests {
  private static func script(_ name: String) throws -> String {
    try #require(Bundle.module.url(forResource: "Peer/\(name)", withExtension: "py")).path
  }

  @Test func asClientOfOurServer() throws {
    let server = try Server { request in
      guard let handshake = try? ServerHandshake({ request.headers.all($0) }) else {
        return ServerResponse(status: 426)
      }
      let chosen = handshake.protocols.contains("echo") ? ["Sec-WebSocket-Protocol": "echo"] as HeaderFields : [:]
      var headers = chosen
      headers.add("Sec-WebSocket-Accept", handshake.key.accept)
      return .upgrade(to: "websocket", headers: headers) { connection in
        let socket = WebSocket(Upgraded(connection), role: .server, limit: 200_000)
        do {
          while let event = try socket.receive(until: .now().advanced(bySeconds: 20)) {
            switch event {
            case .message(.text("close")): socket.close(CloseCode(rawValue: 4_002), reason: "as asked")
            case .message(let message): socket.send(message)
            case .pong: continue
            case .closed: return
            }
          }
        } catch {}
      }
    }
    defer { server.stop() }
    let result = try run(
      [try PythonEnvironment().interpreter, "-B", try PeerTests.script("client"), "ws://127.0.0.1:\(server.port)/"],
      in: try Sandbox())
    #expect(result.status == 0, "\(result.errorText)")
    #expect(
      result.text == """
        subprotocol echo
        text True
        binary 0 True
        binary 125 True
        binary 126 True
        binary 65535 True
        binary 65536 True
        binary 200000 True
        fragments True
        ping True
        closed by the server 4002 as asked
        too big 1009
        closed by the client 1000

        """)
  }

  @Test(arguments: [false, true]) func asServerOfOurClient(secure: Bool) throws {
    let sandbox = try Sandbox()
    var client = HTTPClient()
    var arguments: [String] = []
    if secure {
      let made = try run(
        [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
          "-subj",
          "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem",
        ], in: sandbox)
      try #require(made.status == 0, "\(made.errorText)")
      arguments = [sandbox("cert.pem"), sandbox("key.pem")]
      client.authorities = sandbox("cert.pem")
    }
    let server = try PythonServer(
      script: try PeerTests.script("server"), arguments: arguments, interpreter: try PythonEnvironment().interpreter)
    let handshake = ClientHandshake(protocols: ["other", "echo"])
    let url = try #require(HTTPURL("\(secure ? "https" : "http")://127.0.0.1:\(server.port)/"))
    let answer = try client.upgrade(
      HTTPRequest(.get, url, fields: handshake.fields.map { .init($0.name, $0.value) }), to: "websocket")
    let connection = try #require(answer.connection)
    #expect(try handshake.check(.liteCore) { name in answer.response.text(name).map { [$0] } ?? [] } == "echo")
    let socket = WebSocket(Dialled(connection), role: .client)
    func next() throws -> WebSocket.Event? { try socket.receive(until: .now().advanced(bySeconds: 20)) }
    // The server's greeting may come together with its answer.
    #expect(try next() == .message(.text("welcome")))
    for count in [0, 125, 126, 65_535, 65_536, 300_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      #expect(socket.send(.binary(bytes)))
      #expect(try next() == .message(.binary(bytes)), "\(count) bytes")
    }
    socket.send(.text("äöü €"))
    #expect(try next() == .message(.text("äöü €")))
    socket.ping(Array("are you there".utf8))
    #expect(try next() == .pong(Array("are you there".utf8)))
    socket.send(.text("fragments"))
    #expect(try next() == .message(.text("one two three")))
    socket.send(.text("ping"))
    #expect(try next() == .message(.text("pong came")))
    socket.close(CloseCode(rawValue: 4_001), reason: "enough")
    #expect(try next() == .closed(CloseCode(rawValue: 4_001), reason: "enough"))
    if secure {
      client.authorities = nil
      #expect(throws: HTTPFailure(.trust, "")) { try client.upgrade(HTTPRequest(.get, url), to: "websocket") }
    }
  }
}

private final class Upgraded: WebSocketStream {
  private let connection: UpgradedConnection
  init(_ connection: UpgradedConnection) { self.connection = connection }
  func read(until deadline: MonotonicInstant) -> [UInt8]? { connection.read(until: deadline) }
  func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool { connection.write(bytes, until: deadline) }
}

private final class Dialled: WebSocketStream {
  private let connection: HTTPConnection
  init(_ connection: HTTPConnection) { self.connection = connection }
  func read(until deadline: MonotonicInstant) -> [UInt8]? { connection.read(until: deadline) }
  func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool { connection.write(bytes, until: deadline) }
}
