import TestSupport
import Testing
import WebSocket

@Suite("Frame fuzzing") struct FrameFuzzTests {
  private func payload(_ random: inout SeededGenerator) -> [UInt8] {
    let count = [0, 1, 5, 124, 125, 126, 127, 300].randomElement(using: &random) ?? 0
    return (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
  }

  private func frame(_ random: inout SeededGenerator) -> WebSocketFrame {
    let opcode = WebSocketFrame.Opcode.allCases.randomElement(using: &random) ?? .text
    let bytes = payload(&random)
    return opcode.isControl
      ? WebSocketFrame(opcode, Array(bytes.prefix(125)))
      : WebSocketFrame(opcode, bytes, isFinal: Bool.random(using: &random))
  }

  @Test("frames come back however they are cut", arguments: 1...8 as ClosedRange<UInt64>)
  func whole(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    for role in [WebSocketFrameReader.Role.client, .server] {
      let frames = (0..<300).map { _ in frame(&random) }
      var bytes = frames.flatMap {
        $0.encoded(mask: role == .server ? UInt32.random(in: .min ... .max, using: &random) : nil)
      }[...]
      var reader = WebSocketFrameReader(role: role)
      var read: [WebSocketFrame] = []
      while !bytes.isEmpty {
        let count = Int.random(in: 1...400, using: &random)
        reader.feed(bytes.prefix(count))
        bytes = bytes.dropFirst(count)
        while let frame = try reader.next() { read.append(frame) }
      }
      #expect(read == frames && reader.pending == 0, "seed \(seed)")
    }
  }

  @Test("damaged frames are refused, or mean exactly what they say", arguments: 1...8 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) {
    var random = SeededGenerator(seed)
    var accepted = 0
    for round in 0..<2_000 {
      var bytes = frame(&random).encoded(mask: nil)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0..<max(1, min(bytes.count, 12)), using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: min(at, bytes.count))
        default: bytes.removeLast(Int.random(in: 0...min(bytes.count, 8), using: &random))
        }
      }
      var reader = WebSocketFrameReader(role: .client, limit: 4_096)
      reader.feed(bytes)
      do {
        // Canonical: what is accepted encodes to the very bytes it was read from.
        var again: [UInt8] = []
        while let frame = try reader.next() { again += frame.encoded(mask: nil) }
        accepted += again.isEmpty ? 0 : 1
        #expect(again + bytes.suffix(reader.pending) == bytes, "seed \(seed), round \(round)")
      } catch { #expect(error == WebSocketFault(.protocolError, "") || error == WebSocketFault(.tooBig, "")) }
    }
    #expect(accepted > 100)
  }

  @Test("noise is refused, never trapped on", arguments: 1...4 as ClosedRange<UInt64>)
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<4_000 {
      var reader = WebSocketMessageReader(role: Bool.random(using: &random) ? .client : .server, limit: 256)
      reader.feed(
        (0..<Int.random(in: 0...96, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) })
      do { while try reader.next() != nil {} } catch { #expect(error.code.isSendable) }
    }
  }
}
