import Testing
import WebSocket

@Suite("The opening handshake") struct HandshakeTests {
  typealias Fields = [String: [String]]
  static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  static let request: Fields = [
    "Connection": ["keep-alive, Upgrade"], "Upgrade": ["WebSocket"], "Sec-WebSocket-Version": ["13"],
    "Sec-WebSocket-Key": [key],
  ]
  static let answer: Fields = [
    "Connection": ["Upgrade"], "Upgrade": ["websocket"], "Sec-WebSocket-Accept": ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="],
    "Sec-WebSocket-Protocol": ["b"],
  ]

  @Test func aRequestIsRead() throws {
    var fields = HandshakeTests.request
    fields["Sec-WebSocket-Protocol"] = ["a, b ,", "c"]
    let handshake = try ServerHandshake { fields[$0] ?? [] }
    #expect(handshake.key.text == HandshakeTests.key && handshake.protocols == ["a", "b", "c"])
  }

  @Test(
    arguments: [
      ("Connection", [], ServerHandshake.Fault.noUpgrade), ("Connection", ["close"], .noUpgrade),
      ("Connection", ["Upgraded"], .noUpgrade), ("Upgrade", [], .noUpgrade), ("Upgrade", ["h2c"], .noUpgrade),
      ("Sec-WebSocket-Version", [], .version("")), ("Sec-WebSocket-Version", ["8"], .version("8")),
      ("Sec-WebSocket-Version", ["13", "8"], .version("13, 8")), ("Sec-WebSocket-Key", [], .key),
      ("Sec-WebSocket-Key", [key, key], .key), ("Sec-WebSocket-Key", ["short"], .key),
    ] as [(String, [String], ServerHandshake.Fault)])
  func aRequestIsRefused(name: String, values: [String], fault: ServerHandshake.Fault) {
    var fields = HandshakeTests.request
    fields[name] = values
    #expect(throws: fault) { try ServerHandshake { fields[$0] ?? [] } }
  }

  private func check(_ strictness: ClientHandshake.Strictness, _ change: Fields) throws -> String? {
    let fields = HandshakeTests.answer.merging(change) { $1 }
    let key = try #require(WebSocketKey(HandshakeTests.key))
    return try ClientHandshake(protocols: ["a", "b"], key: key).check(strictness) { fields[$0] ?? [] }
  }

  @Test func anAnswerIsTaken() throws {
    #expect(try check(.standard, [:]) == "b")
    #expect(try check(.liteCore, ["Connection": ["upgrade"]]) == "b")
    #expect(try check(.standard, ["Connection": ["x, upgrade"], "Upgrade": ["WebSocket"]]) == "b")
    #expect(try check(.standard, ["Sec-WebSocket-Protocol": []]) == nil)
  }

  @Test(
    arguments: [
      (["Connection": ["Upgrade, x"]], ClientHandshake.Fault.noUpgrade), (["Connection": []], .noUpgrade),
      (["Upgrade": ["WebSocket"]], .noUpgrade), (["Upgrade": ["websocket", "websocket"]], .noUpgrade),
      (["Sec-WebSocket-Accept": []], .accept), (["Sec-WebSocket-Accept": [key]], .accept),
      (["Sec-WebSocket-Extensions": ["permessage-deflate"]], .extensions),
      (["Sec-WebSocket-Protocol": ["c"]], .subprotocol), (["Sec-WebSocket-Protocol": ["a", "b"]], .subprotocol),
      (["Sec-WebSocket-Protocol": ["a, b"]], .subprotocol),
    ] as [(Fields, ClientHandshake.Fault)])
  func anAnswerIsRefused(change: Fields, fault: ClientHandshake.Fault) {
    #expect(throws: fault) { try check(.liteCore, change) }
  }
}
