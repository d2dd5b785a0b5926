internal import Basics

/// Writes the primitives of the wire format: little-endian integers, and bytes with their length in front.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: some FixedWidthInteger) { bytes.append(littleEndian: value) }

  mutating func put(raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// A 32-bit length and the bytes. A length that does not fit makes the frame far too long, and that is refused.
  mutating func put(block: some Collection<UInt8>) {
    put(UInt32(clamping: block.count))
    put(raw: block)
  }
}

/// Reads the primitives back; what is not there is a failure of the other side.
typealias WireReader = ByteReader<ArraySlice<UInt8>>

extension WireReader {
  mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
    guard let taken = slice(count) else { throw .wire("it is cut short") }
    return taken
  }

  mutating func number<I: FixedWidthInteger>(_: I.Type) throws(Failure) -> I {
    guard let number = integer(I.self) else { throw .wire("it is cut short") }
    return number
  }

  mutating func block() throws(Failure) -> ArraySlice<UInt8> { try take(Int(try number(UInt32.self))) }

  func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .wire("a text in it is not UTF-8") }
    return text
  }

  func end() throws(Failure) {
    guard remaining == 0 else { throw .wire("there is more in it than there should be") }
  }
}

extension Failure {
  /// The other side of the channel does not speak the wire format.
  static func wire(_ what: String) -> Failure {
    Failure(.pluginFailed, "the plugin's process sent a message that cannot be read: \(what)")
  }
}
