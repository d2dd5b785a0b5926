internal import Basics
internal import SecureMemory
internal import StrategyWire

/// Reads the records of the wire format (docs/PLUGINS.md) out of a frame in guarded memory. Every access is checked against
/// what is left. Bytes are views into the frame: as many guarded allocations as a frame has room for would be the end of this
/// process.
struct SecureReader {
  private let frame: SecureBox
  private var position: Int
  private let end: Int

  init(_ frame: SecureBox) { self.init(frame, 0..<frame.bytes.count) }

  private init(_ frame: SecureBox, _ range: Range<Int>) {
    self.frame = frame
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }

  private mutating func take(_ count: Int) throws(Failure) -> Range<Int> {
    guard count >= 0, count <= end - position else { throw .garbled }
    defer { position += count }
    return position..<(position + count)
  }

  mutating func integer<I: FixedWidthInteger>(_: I.Type) throws(Failure) -> I {
    let range = try take(I.bitWidth / 8)
    return unsafe frame.bytes.withBytes { bytes in
      unsafe I(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: I.self))
    }
  }

  private mutating func text(_ count: Int) throws(Failure) -> String {
    let range = try take(count)
    let text = unsafe frame.bytes.withBytes { unsafe String(validating: $0[range], as: UTF8.self) }
    guard let text else { throw .garbled }
    return text
  }

  /// A record: names once each at the top, in any number further down.
  mutating func record(depth: Int = 1) throws(Failure) -> PluginRecord {
    guard depth <= WireLimit.depth else { throw .garbled }
    let count = Int(try integer(UInt16.self))
    guard count <= WireLimit.fields else { throw .garbled }
    var fields: [(name: String, value: PluginValue)] = []
    var names: Set<String> = []
    for _ in 0..<count {
      let length = Int(try integer(UInt16.self))
      guard (1...WireLimit.name).contains(length) else { throw .garbled }
      let name = try text(length)
      guard depth > 1 || names.insert(name).inserted else { throw .garbled }
      let kind = try integer(UInt8.self)
      let block = try take(Int(try integer(UInt32.self)))
      var inner = SecureReader(frame, block)
      fields.append((name, try inner.value(kind, depth: depth)))
      guard inner.isAtEnd else { throw .garbled }
    }
    return PluginRecord(fields: fields)
  }

  private mutating func value(_ kind: UInt8, depth: Int) throws(Failure) -> PluginValue {
    switch kind {
    case 1: return .text(try text(end - position))
    case 2:
      return .bytes(SecureBox(try SecureBytes(viewing: frame, try take(end - position))))
    case 3: return .integer(try integer(Int64.self))
    case 4:
      let byte = try integer(UInt8.self)
      guard byte <= 1 else { throw .garbled }
      return .boolean(byte == 1)
    case 5: return .instant(Timestamp(seconds: try integer(Int64.self)))
    case 6:
      let handle = try integer(UInt64.self)
      guard handle != 0 else { throw .garbled }
      return .secret(handle)
    case 7: return .list(try record(depth: depth + 1))
    default: throw .garbled
    }
  }
}
