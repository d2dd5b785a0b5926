internal import Basics
internal import StrategyWire
internal import TestSupport
internal import Testing

@Suite("Wire fuzzing")
struct WireFuzzTests {
  @Test("damaged frames are refused or mean exactly what they say", arguments: 1...8 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var accepted = 0
    for round in 0..<4_000 {
      guard let sample = samples.randomElement(using: &random) else { return }
      var body = try Array(sample.frame().dropFirst(4))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: 0..<max(body.count, 1), using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where at < body.count: body[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where at < body.count: body[at] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        case 2: body.insert(UInt8.random(in: .min ... .max, using: &random), at: min(at, body.count))
        default: body.removeLast(Int.random(in: 0...min(body.count, 8), using: &random))
        }
      }
      do {
        // Canonical: whatever is accepted encodes to the very bytes it was read from.
        let message = try WireMessage(body: body[...])
        accepted += 1
        if case .run = message { continue }
        if case .failure = message { continue }
        #expect(try Array(message.frame().dropFirst(4)) == body, "seed \(seed), round \(round)")
      } catch { #expect(error == Failure(.pluginFailed, "")) }
    }
    #expect(accepted > 0)
  }

  @Test("noise is refused, never trapped on", arguments: 1...4 as ClosedRange<UInt64>)
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<4_000 {
      var reader = FrameReader()
      reader.feed(
        (0..<Int.random(in: 0...96, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) })
      do { while try reader.next() != nil {} } catch { #expect(error == Failure(.pluginFailed, "")) }
    }
  }
}
