internal import Basics

/// Writes the primitives of the wire format: little-endian integers, and bytes with their length in front.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func put(raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// A 32-bit length and the bytes. A length that does not fit makes the frame far too long, and that is refused.
  mutating func put(block: some Collection<UInt8>) {
    put(UInt32(clamping: block.count))
    put(raw: block)
  }
}

/// Reads them back. Every read is checked against what is left; nothing from outside is an index.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .wire("it is cut short") }
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return taken
  }

  mutating func integer<I: FixedWidthInteger & UnsignedInteger>(_: I.Type) throws(Failure) -> I {
    try take(I.bitWidth / 8).reversed().reduce(0) { $0 << 8 | I($1) }
  }

  mutating func block() throws(Failure) -> ArraySlice<UInt8> {
    try take(Int(try integer(UInt32.self)))
  }

  mutating func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .wire("a text in it is not UTF-8") }
    return text
  }

  func end() throws(Failure) {
    guard rest.isEmpty else { throw .wire("there is more in it than there should be") }
  }
}

extension Failure {
  /// The other side of the channel does not speak the wire format.
  static func wire(_ what: String) -> Failure {
    Failure(.pluginFailed, "the plugin's process sent a message that cannot be read: \(what)")
  }
}
