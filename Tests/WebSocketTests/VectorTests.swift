import Testing
import WebSocket

/// The examples of RFC 6455: section 5.7 for frames, 1.3 for the handshake.
@Suite("RFC 6455's own examples") struct VectorTests {
  struct Row: Sendable {
    let bytes: String
    let frame: WebSocketFrame
    var mask: UInt32?
  }

  static let hello = Array("Hello".utf8)
  static let rows = [
    Row(bytes: "81 05 48 65 6c 6c 6f", frame: WebSocketFrame(.text, hello)),
    Row(bytes: "81 85 37 fa 21 3d 7f 9f 4d 51 58", frame: WebSocketFrame(.text, hello), mask: 0x37FA_213D),
    Row(bytes: "01 03 48 65 6c", frame: WebSocketFrame(.text, Array("Hel".utf8), isFinal: false)),
    Row(bytes: "80 02 6c 6f", frame: WebSocketFrame(.continuation, Array("lo".utf8))),
    Row(bytes: "89 05 48 65 6c 6c 6f", frame: WebSocketFrame(.ping, hello)),
    Row(bytes: "8a 85 37 fa 21 3d 7f 9f 4d 51 58", frame: WebSocketFrame(.pong, hello), mask: 0x37FA_213D),
  ]

  @Test(arguments: rows) func framesAreWrittenAndRead(row: Row) throws {
    #expect(row.frame.encoded(mask: row.mask) == hex(row.bytes))
    var reader = WebSocketFrameReader(role: row.mask == nil ? .client : .server)
    reader.feed(hex(row.bytes))
    #expect(try reader.next() == row.frame)
    #expect(try reader.next() == nil)
  }

  @Test(arguments: [
    (125, "82 7d"), (126, "82 7e 00 7e"), (256, "82 7e 01 00"), (65_535, "82 7e ff ff"),
    (65_536, "82 7f 00 00 00 00 00 01 00 00"),
  ])
  func lengthsTakeAsFewBytesAsTheyCan(count: Int, head: String) throws {
    let frame = WebSocketFrame(.binary, [UInt8](repeating: 7, count: count))
    let bytes = frame.encoded(mask: nil)
    #expect(Array(bytes.prefix(hex(head).count)) == hex(head) && bytes.count == hex(head).count + count)
    var reader = WebSocketFrameReader(role: .client)
    for byte in bytes.dropLast() {
      reader.feed([byte])
      if reader.pending < 20 || reader.pending == count { #expect(try reader.next() == nil) }
    }
    reader.feed(bytes.suffix(1))
    #expect(try reader.next() == frame)
  }

  @Test func theKeyIsAnswered() throws {
    let key = try #require(WebSocketKey("dGhlIHNhbXBsZSBub25jZQ=="))
    #expect(key.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func newKeysDifferAndAreKeys() {
    let keys = (0..<100).map { _ in WebSocketKey().text }
    #expect(Set(keys).count == 100)
    #expect(keys.allSatisfy { WebSocketKey($0) != nil })
  }

  @Test(arguments: [
    "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25jZQ= ", "dGhlIHNhbXBsZSBub25j_Q==",
    "dGhlIHNhbXBsZSBub25jZQ==dGhl", "dGhlIHNhbXBsZSBub25jZQA=",
  ])
  func otherTextsAreNoKeys(text: String) { #expect(WebSocketKey(text) == nil) }
}
