/// Takes little-endian fields off the front of bytes; every step says nil instead of reading past the end.
struct ByteReader<Bytes: RandomAccessCollection> where Bytes.Element == UInt8, Bytes.Index == Int {
  private let bytes: Bytes
  /// Where the next field begins.
  private(set) var offset: Int

  init(_ bytes: Bytes) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  /// How many bytes are left.
  var remaining: Int { bytes.endIndex - offset }

  /// The range of the next `count` bytes.
  mutating func range(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return offset..<(offset + count)
  }

  /// The next `count` bytes, copied.
  mutating func array(_ count: Int) -> [UInt8]? { range(count).map { Array(bytes[$0]) } }

  /// The next integer.
  mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type = T.self) -> T? {
    guard let range = range(T.bitWidth / 8) else { return nil }
    return bytes[range].reversed().reduce(0) { ($0 << 8) | T($1) }
  }
}

extension [UInt8] {
  /// Appends an integer, little-endian.
  mutating func append(littleEndian value: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
