internal import Basics
internal import SecureMemory

/// Fills guarded memory of a known size from the front. Numbers are big-endian.
struct ByteWriter: ~Copyable {
  private let bytes: SecureBytes
  private var position = 0

  /// Room for exactly `count` bytes.
  init(count: Int) throws(Failure) { bytes = try SecureBytes(count: count) }

  mutating func put(_ number: some FixedWidthInteger) throws(Failure) {
    var bigEndian = number.bigEndian
    try unsafe withUnsafeBytes(of: &bigEndian) { source throws(Failure) in try unsafe put(source) }
  }

  mutating func put(_ secret: borrowing SecureBytes) throws(Failure) {
    try unsafe secret.withBytes { source throws(Failure) in try unsafe put(source) }
  }

  /// A name of at most 255 bytes, after its length in one byte.
  mutating func put(name: String) throws(Failure) {
    guard let count = UInt8(exactly: name.utf8.count) else { throw Failure(.bug, "a name of over 255 bytes") }
    try put(count)
    for byte in name.utf8 { try put(byte) }
  }

  private mutating func put(_ source: UnsafeRawBufferPointer) throws(Failure) {
    let start = position
    guard source.count <= bytes.count - start else { throw Failure(.bug, "an item larger than it was measured") }
    unsafe bytes.withMutableBytes {
      unsafe UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: source)
    }
    position += source.count
  }

  /// The bytes, which must all have been filled.
  consuming func finish() throws(Failure) -> SecureBytes {
    guard position == bytes.count else { throw Failure(.bug, "an item smaller than it was measured") }
    return bytes
  }
}
