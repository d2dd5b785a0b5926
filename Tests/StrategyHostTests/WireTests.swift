import Basics
import SecureMemory
import StrategyWire
import Testing

@testable import StrategyHost

/// This module's own reader and writer of frames that hold secrets agree with StrategyWire's.
struct WireTests {
  private func frame(_ message: WireMessage) throws -> SecureBox {
    try box(Array(message.frame().dropFirst(4)))
  }

  private func box(_ bytes: [UInt8]) throws -> SecureBox {
    let secret = try SecureBytes(count: bytes.count)
    unsafe secret.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
    return SecureBox(secret)
  }

  @Test func requestsAndResultsAreReadAsStrategyWireWritesThem() throws {
    let record: WireRecord = [
      "t": .text("tëxt"), "b": .bytes([0, 255, 1]), "i": .integer(.min), "y": .boolean(true), "n": .boolean(false),
      "w": .instant(Timestamp(seconds: -5)), "s": .secret(.max),
      "l": .list(WireRecord([.init("x", .text("1")), .init("x", .list(["y": .integer(2)]))])),
    ]
    guard
      case .request(7, .secretJoin, let request) = try PluginMessage(
        frame(.request(id: 7, .secretJoin, record))),
      case .result(let result) = try PluginMessage(frame(.result(record)))
    else {
      Issue.record("it is read as something else")
      return
    }
    for read in [request, result] {
      #expect(read.fields.map(\.name) == record.fields.map(\.name))
      #expect(read.text("t") == "tëxt")
      #expect(read.integer("i") == .min)
      #expect(read.boolean("y") == true && read.boolean("n") == false)
      guard case .bytes(let bytes)? = read["b"], case .instant(let time)? = read["w"], case .secret(.max)? = read["s"],
        let list = read.list("l"), case .list(let inner) = list.fields[1].value
      else {
        Issue.record("a value is read as another kind")
        return
      }
      let isSame = unsafe bytes.bytes.withBytes { unsafe $0.elementsEqual([0, 255, 1]) }
      #expect(isSame)
      #expect(time == Timestamp(seconds: -5))
      #expect(list.fields.map(\.name) == ["x", "x"] && inner.integer("y") == 2)
    }
  }

  @Test func otherMessagesGoThroughStrategyWire() throws {
    guard case .hello(let hello) = try PluginMessage(frame(.hello(.init(abi: 1, landlock: 3)))),
      case .failure(let fault) = try PluginMessage(frame(.failure(.init(reason: 4, message: "m", status: 503)))),
      case .log(.warning, "w") = try PluginMessage(frame(.log(.warning, "w"))),
      case .refused("r") = try PluginMessage(frame(.refused("r"))),
      case .broken("b") = try PluginMessage(frame(.broken("b")))
    else {
      Issue.record("it is read as something else")
      return
    }
    #expect(hello.landlock == 3)
    #expect(fault.status == 503)
    // What only this side says is not taken from the other.
    #expect(throws: Failure(.pluginFailed, "")) { try PluginMessage(frame(.cancel)) }
    #expect(throws: Failure(.pluginFailed, "")) { try PluginMessage(frame(.response(id: 1, .ok, WireRecord()))) }
  }

  @Test func repliesAreWrittenAsStrategyWireReadsThem() throws {
    let secret = SecureBox(try SecureBytes(publicText: "sécret"))
    let reply = Reply.ok(
      ("t", .text("text")), ("p", .secretText(secret)), ("b", .bytes(secret)), ("i", .integer(-9)),
      ("y", .boolean(true)), ("w", .instant(Timestamp(seconds: 8))), ("s", .secret(3)))
    let bytes = try reply.frame(id: 5).bytes.withBytes { unsafe Array($0) }
    let expected = WireMessage.response(
      id: 5, .ok,
      [
        "t": .text("text"), "p": .text("sécret"), "b": .bytes(Array("sécret".utf8)), "i": .integer(-9),
        "y": .boolean(true), "w": .instant(Timestamp(seconds: 8)), "s": .secret(3),
      ])
    #expect(bytes == (try expected.frame()))
    let refusal = try Reply.no(.denied, "why").frame(id: 6).bytes.withBytes { unsafe Array($0) }
    #expect(refusal == (try WireMessage.response(id: 6, .denied, ["message": .text("why")]).frame()))
  }

  @Test func anAnswerThatDoesNotFitSaysSo() throws {
    let large = SecureBox(try SecureBytes(count: WireLimit.frame))
    let bytes = try Reply.ok(("b", .bytes(large))).frame(id: 1).bytes.withBytes { unsafe Array($0) }
    let expected = WireMessage.response(
      id: 1, .tooLarge, ["message": .text("the answer does not fit one message")])
    #expect(bytes == (try expected.frame()))
  }

  @Test func noBytesCrashTheReader() throws {
    let frame = try WireMessage.request(
      id: 1, .http, ["a": .text("x"), "l": .list(["y": .bytes([1, 2, 3])]), "s": .secret(1)]
    ).frame().dropFirst(4)
    var state: UInt64 = 88_172_645_463_325_252
    func random(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    var refused = 0
    for _ in 0..<5_000 {
      var bytes = Array(frame)
      for _ in 0...random(3) { bytes[random(bytes.count)] = UInt8(random(256)) }
      if random(4) == 0 { bytes.removeLast(random(bytes.count)) }
      let secret = try box(bytes)
      do throws(Failure) { _ = try PluginMessage(secret) } catch {
        #expect(error.code == .pluginFailed)
        refused += 1
      }
    }
    #expect(refused > 1_000)
  }
}
