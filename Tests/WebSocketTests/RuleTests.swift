import Testing
import WebSocket

/// What a peer must not do, each with the code it is told.
@Suite("A peer is held to the rules") struct RuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let code: CloseCode
    var role = WebSocketFrameReader.Role.client
  }

  static let rows = [
    Row(testDescription: "a reserved bit", bytes: "c1 00", code: .protocolError),
    Row(testDescription: "an unknown data opcode", bytes: "83 00", code: .protocolError),
    Row(testDescription: "an unknown control opcode", bytes: "8b 00", code: .protocolError),
    Row(testDescription: "a masked server's frame", bytes: "81 80 00 00 00 00", code: .protocolError),
    Row(testDescription: "an unmasked client's frame", bytes: "81 00", code: .protocolError, role: .server),
    Row(testDescription: "a control frame in pieces", bytes: "09 00", code: .protocolError),
    Row(testDescription: "a long control frame", bytes: "89 7e 00 7e", code: .protocolError),
    Row(testDescription: "a length of 125 in 16 bits", bytes: "82 7e 00 7d", code: .protocolError),
    Row(testDescription: "a length of 65535 in 64 bits", bytes: "82 7f 00 00 00 00 00 00 ff ff", code: .protocolError),
    Row(testDescription: "the highest bit of a length", bytes: "82 7f 80 00 00 00 00 00 00 00", code: .protocolError),
    Row(testDescription: "a huge frame", bytes: "82 7f 7f ff ff ff ff ff ff ff", code: .tooBig),
    Row(testDescription: "a frame one over the limit", bytes: "82 7e 04 01", code: .tooBig),
    Row(
      testDescription: "a message one over the limit",
      bytes: "02 7d" + String(repeating: "00", count: 125) + "80 7e 03 84" + String(repeating: "00", count: 900),
      code: .tooBig),
    Row(testDescription: "a continuation of nothing", bytes: "80 00", code: .protocolError),
    Row(testDescription: "a message within a message", bytes: "01 00 81 00", code: .protocolError),
    Row(testDescription: "text that is not UTF-8", bytes: "81 01 ff", code: .invalidPayload),
    Row(testDescription: "a surrogate", bytes: "81 03 ed a0 80", code: .invalidPayload),
    Row(testDescription: "half a close code", bytes: "88 01 03", code: .protocolError),
    Row(testDescription: "close code 999", bytes: "88 02 03 e7", code: .protocolError),
    Row(testDescription: "close code 1005", bytes: "88 02 03 ed", code: .protocolError),
    Row(testDescription: "close code 1006", bytes: "88 02 03 ee", code: .protocolError),
    Row(testDescription: "close code 5000", bytes: "88 02 13 88", code: .protocolError),
    Row(testDescription: "a reason that is not UTF-8", bytes: "88 03 03 e8 ff", code: .invalidPayload),
  ]

  @Test(arguments: rows) func isTold(row: Row) {
    var reader = WebSocketMessageReader(role: row.role, limit: 1_024)
    reader.feed(hex(row.bytes))
    #expect(throws: WebSocketFault(row.code, "")) {
      while try reader.next() != nil {}
    }
  }

  @Test func controlFramesStandBetweenTheParts() throws {
    var reader = WebSocketMessageReader(role: .client)
    reader.feed(hex("01 02 c3 a4 89 01 70 00 01 e2 8a 00 80 02 82 ac 88 06 0f a1 62 79 65 21"))
    #expect(try reader.next() == .ping([0x70]))
    #expect(try reader.next() == .pong([]))
    #expect(try reader.next() == .message(.text("ä€")))
    #expect(try reader.next() == .close(CloseCode(rawValue: 4_001), reason: "bye!"))
    #expect(try reader.next() == nil)
  }

  @Test func aCloseWithoutACodeIsOne() throws {
    var reader = WebSocketMessageReader(role: .client)
    reader.feed(hex("88 00"))
    #expect(try reader.next() == .close(.noStatus, reason: ""))
  }

  @Test func whatIsAtTheLimitPasses() throws {
    var reader = WebSocketMessageReader(role: .client, limit: 1_024)
    reader.feed(WebSocketFrame(.binary, [UInt8](repeating: 1, count: 1_024)).encoded(mask: nil))
    #expect(try reader.next() == .message(.binary([UInt8](repeating: 1, count: 1_024))))
  }

  @Test func closingFramesAreOnesThatMayBeSent() {
    #expect(WebSocketFrame.close(.normal).encoded(mask: nil) == hex("88 02 03 e8"))
    #expect(WebSocketFrame.close(.abnormal, reason: "x").encoded(mask: nil) == hex("88 00"))
    // A reason is cut between two characters.
    let long = WebSocketFrame.close(.normal, reason: String(repeating: "€", count: 100))
    #expect(long.payload.count == 125 - 0 && String(validating: long.payload[2...], as: UTF8.self)?.count == 41)
  }
}
