internal import Basics
internal import StrategyWire
internal import Testing

/// One of each message, with every kind of value.
let samples: [WireMessage] = [
  .hello(.init(abi: 1, landlock: 7)),
  .run(
    .init(
      strategy: "basic", operation: 1, timeout: 60_000, identifier: "alice",
      settings: ["EXPO_PUBLIC_SG_DB": .text("mfs"), "EXPO_PUBLIC_SG_URL": .text("wss://sync.example.com")])),
  .run(.init(strategy: "demo", operation: 3, timeout: 0, identifier: nil, settings: [:])),
  .request(
    id: 7, .http,
    [
      "method": .text("POST"), "url": .text("https://sync.example.com/mfs/_session"),
      "headers": .list([
        "authorization": .secret(9), "accept": .text("application/json"), "accept": .text("text/plain"),
      ]),
      "body": .bytes([]),
    ]),
  .response(id: 7, .ok, ["status": .integer(200), "body": .bytes([0, 255]), "headers": .list([:])]),
  .response(id: 8, .denied, ["message": .text("not declared")]),
  .log(.warning, "ein Wörtchen"),
  .result([
    "identifier": .text("alice"), "sessionId": .secret(.max), "sessionExpiresAt": .instant(Timestamp(seconds: -1)),
    "flag": .boolean(true), "other": .boolean(false), "low": .integer(.min),
    "nested": .list(["a": .list(["b": .text("")])]),
  ]),
  .failure(.init(reason: 5, message: "busy", status: 503, retryAfter: 30)),
  .failure(.init(reason: 10, message: "")),
  .refused("no isolation"), .broken("called the sink twice"), .cancel,
]

@Suite("Wire messages")
struct WireMessageTests {
  @Test("every message comes back as it was", arguments: samples)
  func roundTrip(message: WireMessage) throws {
    var reader = FrameReader()
    reader.feed(try message.frame())
    #expect(try reader.next() == message)
    #expect(try reader.next() == nil)
    #expect(reader.isBetweenFrames)
  }

  @Test("frames are found however the bytes arrive")
  func pieces() throws {
    var stream: [UInt8] = []
    for message in samples { stream += try message.frame() }
    for size in [1, 2, 3, 7, 64, stream.count] {
      var reader = FrameReader()
      var seen: [WireMessage] = []
      var rest = stream[...]
      while !rest.isEmpty {
        reader.feed(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let message = try reader.next() { seen.append(message) }
      }
      #expect(seen == samples)
    }
  }

  @Test("a frame cut short at any byte is never a message", arguments: samples)
  func truncated(message: WireMessage) throws {
    let body = try message.frame().dropFirst(4)
    for length in 0..<body.count {
      #expect(throws: Failure.self) { try WireMessage(body: body.prefix(length)) }
    }
    #expect(throws: Failure.self) { try WireMessage(body: body + [0]) }
  }

  @Test("lengths out of range are refused before their bytes arrive")
  func lengths() {
    for length: [UInt8] in [[0, 0, 0, 0], [1, 0, 0x40, 0], [255, 255, 255, 255]] {
      var reader = FrameReader()
      reader.feed(length)
      #expect(throws: Failure.self) { try reader.next() }
    }
  }

  @Test("what is beyond a limit cannot be sent")
  func limits() {
    let deep: WireRecord = ["a": .list(["b": .list(["c": .list([:])])])]
    let wide = WireRecord((0...WireLimit.fields).map { .init("n\($0)", .boolean(true)) })
    let unsendable: [WireMessage] = [
      .result(deep), .result(wide), .result(["": .integer(1)]),
      .result([String(repeating: "n", count: WireLimit.name + 1): .integer(1)]),
      .result(["big": .bytes([UInt8](repeating: 0, count: WireLimit.frame))]),
    ]
    for message in unsendable { #expect(throws: Failure.self) { try message.frame() } }
  }

  @Test(
    "values that have another encoding are refused",
    arguments: [
      // A boolean of 2, a secret numbered 0, a text that is not UTF-8, the same field twice, an unknown kind.
      [6, 1, 0, 1, 0, 0x61, 4, 1, 0, 0, 0, 2],
      [6, 1, 0, 1, 0, 0x61, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      [6, 1, 0, 1, 0, 0x61, 1, 1, 0, 0, 0, 0xFF],
      [6, 2, 0, 1, 0, 0x61, 4, 1, 0, 0, 0, 1, 1, 0, 0x61, 4, 1, 0, 0, 0, 1],
      [6, 1, 0, 1, 0, 0x61, 9, 0, 0, 0, 0],
      [6, 1, 0, 0, 0, 4, 1, 0, 0, 0, 1],
      [11], [0], [],
    ] as [[UInt8]])
  func notCanonical(body: [UInt8]) {
    #expect(throws: Failure(.pluginFailed, "")) { try WireMessage(body: body[...]) }
  }
}
