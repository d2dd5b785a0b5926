import TestSupport
import Testing

@testable import DeviceAttestation

@Suite("CBOR")
struct CBORTests {
  private func read(_ hex: String, size: Int = 4_096, depth: Int = 8) -> Result<CBORValue, CBORFault> {
    let bytes = stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16) ?? 0 }
    do throws(CBORFault) { return .success(try CBORReader.value(bytes, maximumSize: size, maximumDepth: depth)) } catch
    {
      return .failure(error)
    }
  }

  private func fault(_ hex: String, size: Int = 4_096, depth: Int = 8) -> CBORFault.Kind? {
    if case .failure(let fault) = read(hex, size: size, depth: depth) { fault.kind } else { nil }
  }

  @Test("the examples of RFC 8949 appendix A are read, those of kinds that are used here")
  func examples() {
    let examples: [(String, CBORValue)] = [
      ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("1903e8", .unsigned(1_000)),
      ("1a000f4240", .unsigned(1_000_000)), ("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
      ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3903e7", .negative(999)),
      ("3bffffffffffffffff", .negative(.max)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
      ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6449455446", .text("IETF")),
      ("62c3bc", .text("\u{fc}")), ("64f0908591", .text("\u{10151}")), ("80", .array([])),
      ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])), ("a0", .map([])),
      ("a201020304", .map([(.unsigned(1), .unsigned(2)), (.unsigned(3), .unsigned(4))])),
      ("a26161016162820203", .map([(.text("a"), .unsigned(1)), (.text("b"), .array([.unsigned(2), .unsigned(3)]))])),
    ]
    for (hex, value) in examples { #expect((try? read(hex).get()) == value, "\(hex)") }
  }

  @Test("what is not well-formed, not in its shortest form or of another kind is refused")
  func faults() {
    let faults: [(String, CBORFault.Kind)] = [
      ("", .cut), ("18", .cut), ("19ff", .cut), ("1bffffffffffffff", .cut), ("41", .cut), ("62c3", .cut), ("81", .cut),
      ("a1", .cut), ("a101", .cut), ("5bffffffffffffffff00", .cut), ("9bffffffffffffffff00", .cut),
      ("bbffffffffffffffff0000", .cut), ("5b7fffffffffffffff00", .cut), ("9a0fffffff00", .cut),
      ("0000", .trailing), ("a000", .trailing), ("f6f6", .trailing),
      ("5f42010243030405ff", .indefinite), ("7f657374726561646d696e67ff", .indefinite), ("9fff", .indefinite),
      ("bf61610161629f0203ffff", .indefinite), ("ff", .indefinite), ("1f", .indefinite),
      ("1817", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
      ("1b00000000ffffffff", .notShortest),
      ("580100", .notShortest), ("7800", .notShortest), ("980100", .notShortest), ("b800", .notShortest),
      ("c074", .unsupported), ("d9d9f700", .unsupported), ("f93c00", .unsupported),
      ("fb3ff199999999999a", .unsupported),
      ("f7", .unsupported), ("f0", .unsupported), ("f818", .unsupported), ("1c", .unsupported), ("5d", .unsupported),
      ("fc", .unsupported),
      ("61ff", .encoding), ("62c328", .encoding), ("63eda080", .encoding), ("62c080", .encoding),
      ("a201000100", .key), ("a2616100616100", .key), ("a1410000", .key), ("a1800000", .key), ("a1f500", .key),
      ("a1a000", .key), ("a262c3bc0062c3bc00", .key),
    ]
    for (hex, kind) in faults { #expect(fault(hex) == kind, "\(hex)") }
    // Texts that Unicode calls equivalent are two keys.
    #expect(fault("a262c3bc006375cc8800") == nil)
    #expect(fault("a200002000") == nil)
  }

  @Test("size, depth and number of items end where they are told to")
  func limits() {
    #expect(fault("8101", size: 2) == nil)
    #expect(fault("8101", size: 1) == .size)
    #expect(fault("81818101", depth: 4) == nil)
    #expect(fault("81818101", depth: 3) == .depth)
    #expect(fault(String(repeating: "81", count: 4_000) + "01") == .depth)
    #expect(fault(String(repeating: "a100", count: 2_000) + "01") == .depth)
    #expect(fault("9903ff" + String(repeating: "00", count: 1_023)) == nil)
    #expect(fault("990400" + String(repeating: "00", count: 1_024)) == .size)
  }

  @Test("documents that stand one after the other are read, whole ones only")
  func sequence() throws {
    #expect(try CBORReader.sequence([], maximumSize: 8) == [])
    #expect(
      try CBORReader.sequence([0x01, 0xA0, 0x41, 0x02], maximumSize: 8) == [.unsigned(1), .map([]), .bytes([2])])
    #expect(throws: CBORFault(.cut, at: 1)) { try CBORReader.sequence([0x01, 0x41], maximumSize: 8) }
    #expect(throws: CBORFault(.size, at: 1)) { try CBORReader.sequence([0x01, 0x01], maximumSize: 1) }
    #expect(throws: CBORFault(.size, at: 1_024)) {
      try CBORReader.sequence([UInt8](repeating: 0, count: 1_025), maximumSize: 2_000)
    }
  }

  @Test("random bytes end in an answer, and what is read again is the same")
  func noise() {
    var random = SeededGenerator(8949)
    var taken = 0
    let heads: [UInt8] = [0x01, 0x18, 0x20, 0x41, 0x61, 0x62, 0x80, 0x81, 0x82, 0xA1, 0xA2, 0xF4, 0xF6, 0x58, 0x78]
    for round in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
        round % 2 == 0 ? UInt8.random(in: 0...255, using: &random) : heads.randomElement(using: &random) ?? 0
      }
      guard let value = try? CBORReader.value(bytes, maximumSize: 64) else { continue }
      taken += 1
      #expect(write(value) == bytes)
    }
    #expect(taken > 100)
  }

  // The one way to write a value, which is why only that is read.
  private func write(_ value: CBORValue) -> [UInt8] {
    func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
      let size =
        switch number {
        case 0..<24: 0
        case 24..<256: 1
        case 256..<65_536: 2
        case 65_536..<(1 << 32): 4
        default: 8
        }
      guard size > 0 else { return [major << 5 | UInt8(number)] }
      let low = UInt8(24 + size.trailingZeroBitCount)
      return [major << 5 | low] + (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
    switch value {
    case .unsigned(let number): return head(0, number)
    case .negative(let number): return head(1, number)
    case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
    case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .array(let items): return head(4, UInt64(items.count)) + items.flatMap(write)
    case .map(let members): return head(5, UInt64(members.count)) + members.flatMap { write($0.key) + write($0.value) }
    case .bool(let value): return [value ? 0xF5 : 0xF4]
    case .null: return [0xF6]
    }
  }
}
